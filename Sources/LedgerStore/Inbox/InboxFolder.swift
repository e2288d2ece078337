package import CivilTime
internal import Foundations
package import Scheduling

/// The inbox on disk: other programs put files of JSON lines into `incoming/` under a final name.
///
/// A file whose lines are all in the ledger moves to `done/`; rejected lines go to `rejected/` with the reason. Names that begin
/// with a dot or end in `.tmp` are still being written and are left alone. Files are read in portions, so that memory does not
/// depend on their size. Anything but a regular file of this account is an oddity: it is never opened, only moved by
/// ``setAside(_:reason:)``.
package struct InboxFolder: Sendable {
  private let directory: DataDirectory
  private let parser: InboxParser
  private let fileSystem: any FileSystem
  private let thread = BlockingThread(named: "rewards.inbox")

  /// Creates access to the inbox of a data directory; instants without an offset are read in `naiveZone`.
  package init(_ directory: DataDirectory, naiveZone: Zone) {
    self.directory = directory
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

  /// Returns the names of the waiting files, in order.
  package func waiting() async throws -> [String] {
    try await thread.run {
      try fileSystem.names(in: directory.incoming)
        .filter { !$0.hasPrefix(".") && !$0.hasSuffix(".tmp") }.sorted()
    }
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
        "\(directory.incoming)/\(name)", from: position, in: fileSystem, by: parser)
    }
  }

  /// Keeps a portion's rejected lines until ``archive(_:rejected:)`` puts them in place; numbers ascend from call to call.
  package func appendRejected(
    _ rejected: [RejectedLine], of portion: InboxPortion, in file: inout RejectedFile
  ) async throws {
    let before = file
    file = try await thread.run {
      var file = before
      try file.add(rejected, of: portion, in: directory, fileSystem)
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
      try rejected.finish(as: free, in: directory, fileSystem)
      try fileSystem.rename("\(directory.incoming)/\(name)", to: "\(directory.done)/\(free)")
      try fileSystem.syncFolder(directory.done)
      try fileSystem.syncFolder(directory.incoming)
    }
  }

  /// Writes text into `incoming/` as `name`, durably.
  package func handOver(_ text: [UInt8], as name: String) async throws {
    try await thread.run {
      try fileSystem.createDurably(
        "\(directory.incoming)/\(name)", in: directory.incoming, [text])
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
      try fileSystem.rename("\(directory.incoming)/\(name)", to: "\(directory.rejected)/\(aside)")
      try writeReason(reason, of: aside)
      return aside
    }
  }

  /// Moves every entry whose name is not UTF-8 to `rejected/`, with its bytes as `%HH`; returns the new names.
  package func setUnnameableAside() async throws -> [String] {
    try await thread.run {
      let moved = try fileSystem.moveUnnameable(from: directory.incoming, to: directory.rejected)
      for name in moved { try writeReason("its name is not UTF-8", of: name) }
      return moved
    }
  }

  /// Returns the name, or a similar one, that is free in `done/` and `rejected/`, also with the suffix for its reason.
  private func freeName(like name: String) throws -> String {
    // The folders may hold years of files: they are listed only if the name is taken.
    let places = ["\(directory.done)/\(name)", "\(directory.rejected)/\(name)"]
    if try !(places + ["\(places[1]).reason"]).contains(where: isTaken) { return name }
    let taken = try Set(
      fileSystem.names(in: directory.done) + fileSystem.names(in: directory.rejected))
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
      "\(directory.rejected)/\(name).reason", in: directory.rejected, [Array("\(reason)\n".utf8)])
    try fileSystem.syncFolder(directory.incoming)
  }
}
