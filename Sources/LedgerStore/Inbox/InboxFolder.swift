package import CivilTime
internal import Foundations
package import Ledger
package import Scheduling

/// One source's inbox on disk: other programs put files of JSON lines into `incoming/` under a final name.
///
/// A file whose lines are all in the ledger moves to `done/`; rejected lines go to `rejected/` with the reason. Names that begin
/// with a dot or end in `.tmp` are still being written and are left alone. Files are read in portions, so that memory does not
/// depend on their size. Anything but a regular file of this account is an oddity: it is never opened, only moved by
/// ``setAside(_:reason:)``.
package struct InboxFolder: Sendable {
  /// The source whose files it holds.
  package let source: InboxSource
  private let directory: DataDirectory
  private let paths: InboxPaths
  private let parser: InboxParser
  private let fileSystem: any FileSystem
  private let thread = BlockingThread(named: "rewards.inbox")

  /// Creates access to a source's inbox in a data directory; instants without an offset are read in `naiveZone`.
  package init(_ directory: DataDirectory, of source: InboxSource = .hand, naiveZone: Zone) {
    self.source = source
    self.directory = directory
    paths = directory.inbox(of: source.name)
    parser = InboxParser(naiveZone: naiveZone)
    fileSystem = directory.files
  }

  /// Returns the time of the backup after which the inbox is incomplete; see ``InboxGap/since()``.
  package func incompleteSince() async throws -> String? {
    try await thread.run { try InboxGap(directory).since() }
  }

  /// Records that everything missing since a restored backup has been handed in.
  package func markComplete() async throws {
    try await thread.run { try InboxGap(directory).end() }
  }

  /// Returns a waiting file's name in messages.
  package func title(of name: String) -> String { source.name.map { "\($0)/\(name)" } ?? name }

  /// The folder of rejected lines.
  package var rejected: String { paths.rejected }

  /// Returns the instant up to which the source has handed in all its activities; nil if it has not said so, or only for a time
  /// after `now`, by a clock that was ahead.
  package func completeThrough(by now: Instant) async throws -> Instant? {
    try await thread.run { try saidThrough(by: now) }
  }

  /// Records at `now` that the source has handed in all its activities before `instant`; an earlier instant than before changes
  /// nothing.
  package func markComplete(through instant: Instant, by now: Instant) async throws {
    try await thread.run {
      if let said = try saidThrough(by: now), said >= instant { return }
      try fileSystem.createDurably(completeFile, in: paths.path, [Array("\(instant)\n".utf8)])
    }
  }

  /// Forgets what the source said for a time after `now`, which never came.
  package func forgetComplete(after now: Instant) async throws {
    try await thread.run {
      guard let said = try saidThrough(by: .latest), said > now else { return }
      try fileSystem.remove(completeFile)
      try fileSystem.syncFolder(paths.path)
    }
  }

  private func saidThrough(by now: Instant) throws -> Instant? {
    try fileSystem.readWholeIfPresent(completeFile).flatMap { bytes -> Instant? in
      let text = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
      guard let said = try? InstantText.parse(text).instant, said <= now else { return nil }
      return said
    }
  }

  private var completeFile: String { "\(paths.path)/complete" }

  /// Returns the names of the waiting files, in order.
  package func waiting() async throws -> [String] {
    try await thread.run {
      try Self.whole(fileSystem.names(in: paths.incoming)).sorted()
    }
  }

  /// Returns the folders of other sources than `known` in which files wait. In a database, where nobody but this program
  /// hands files over, none.
  package func waitingElsewhere(besides known: [String]) async throws -> [String] {
    if directory.isInDatabase { return [] }
    return try await thread.run {
      // The first is that of people.
      try directory.inboxes(besides: Set(known)).dropFirst().map(\.incoming).filter { folder in
        // What cannot be listed may hold something.
        (try? Self.whole(fileSystem.names(in: folder)).isEmpty) != true
      }
    }
  }

  /// Returns those of the names that are not still being written.
  private static func whole(_ names: [String]) -> [String] {
    names.filter { !$0.hasPrefix(".") && !$0.hasSuffix(".tmp") }
  }

  /// Reads a portion of a waiting file; throws a ``FileError`` if it is an oddity.
  package func read(
    _ name: String, from position: InboxPortion.Position = .start
  ) async throws -> InboxPortion {
    try await thread.run {
      if name.utf8.count > Self.nameLimitBytes {
        throw FileError.oddity("its name is longer than \(Self.nameLimitBytes) bytes", path: name)
      }
      return try InboxPortion.read(
        "\(paths.incoming)/\(name)", from: position, in: fileSystem, by: parser)
    }
  }

  /// Keeps a portion's rejected lines until ``archive(_:rejected:)`` puts them in place; numbers ascend from call to call.
  package func appendRejected(
    _ rejected: [RejectedLine], of portion: InboxPortion, in file: inout RejectedFile
  ) async throws {
    let before = file
    file = try await thread.run {
      var file = before
      try file.add(rejected, of: portion, in: paths, fileSystem)
      return file
    }
  }

  /// Puts a file away once its good lines are in the ledger: puts its rejected lines in place, then moves it to `done/`.
  ///
  /// Both get a free name, so that no earlier file is ever replaced. If interrupted between the two steps, the file is read
  /// again: its lines add nothing, and its rejected ones are recorded twice.
  package func archive(_ name: String, rejected: RejectedFile) async throws {
    try await thread.run {
      let free = try freeName(like: name)
      try rejected.finish(as: free, in: paths, fileSystem)
      try fileSystem.rename("\(paths.incoming)/\(name)", to: "\(paths.done)/\(free)")
      try fileSystem.syncFolder(paths.done)
      try fileSystem.syncFolder(paths.incoming)
    }
  }

  /// Writes text into `incoming/` as `name`, durably.
  package func handOver(_ text: [UInt8], as name: String) async throws {
    try await thread.run {
      try fileSystem.createDurably(
        "\(paths.incoming)/\(name)", in: paths.incoming, [text])
    }
  }

  // A suffix must still fit into a name of 255 bytes.
  private static let nameLimitBytes = 200
}

// Oddities: entries that are not files of the inbox.
extension InboxFolder {
  /// Moves an oddity unchanged to `rejected/`, under a free name, with the reason beside it; returns that name.
  package func setAside(_ name: String, reason: String) async throws -> String {
    try await thread.run {
      var aside = name
      while aside.utf8.count > Self.nameLimitBytes { aside.removeLast() }
      aside = try freeName(like: aside)
      try fileSystem.rename("\(paths.incoming)/\(name)", to: "\(paths.rejected)/\(aside)")
      try writeReason(reason, of: aside)
      return aside
    }
  }

  /// Moves every entry whose name is not UTF-8 to `rejected/`, with its bytes as `%HH`; returns the new names.
  package func setUnnameableAside() async throws -> [String] {
    try await thread.run {
      let moved = try fileSystem.moveUnnameable(from: paths.incoming, to: paths.rejected)
      for name in moved { try writeReason("its name is not UTF-8", of: name) }
      return moved
    }
  }

  /// Returns the name, or a similar one, that is free in `done/` and `rejected/`, also with the suffix for its reason.
  private func freeName(like name: String) throws -> String {
    // The folders may hold years of files: they are listed only if the name is taken.
    let places = ["\(paths.done)/\(name)", "\(paths.rejected)/\(name)"]
    if try !(places + ["\(places[1]).reason"]).contains(where: isTaken) { return name }
    let taken = try Set(
      fileSystem.names(in: paths.done) + fileSystem.names(in: paths.rejected))
    var free = name
    var number = 1
    while taken.contains(free) || taken.contains("\(free).reason") {
      number += 1
      free = "\(name)~\(number)"
    }
    return free
  }

  private func isTaken(_ path: String) throws -> Bool {
    do throws(FileError) {
      fileSystem.close(try fileSystem.open(path, for: .receive))
      return true
    } catch {
      return !error.isMissing
    }
  }

  private func writeReason(_ reason: String, of name: String) throws {
    try fileSystem.createDurably(
      "\(paths.rejected)/\(name).reason", in: paths.rejected, [Array("\(reason)\n".utf8)])
    try fileSystem.syncFolder(paths.incoming)
  }
}
