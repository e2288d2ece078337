import CivilTime
import Files
import LedgerStore

/// Where the log of one sink lies: `relay/SINK/`, the logs before it in `relay/SINK~SECOND/`, each under the second in which it
/// was put aside, and one that is about to take its place in `relay/.SINK.next/`.
struct RelayFolders {
  /// The log that is written.
  let current: String
  /// The log that is begun, until it is whole.
  let next: String
  private let parent: String
  private let sink: String
  private let files = WorkingFiles.system

  init(_ sink: String, in directory: DataDirectory) {
    self.sink = sink
    parent = directory.relay
    current = directory.relay(sink: sink)
    next = "\(directory.relay)/.\(sink).next"
  }

  /// The logs that were put aside, oldest first.
  func archives() throws(FileError) -> [(second: Int64, path: String)] {
    let start = "\(sink)~"
    return try files.namesIfPresent(in: parent).filter { $0.hasPrefix(start) }
      .compactMap { name in
        Int64(name.dropFirst(start.count)).map { ($0, "\(parent)/\(name)") }
      }
      .sorted { $0.0 < $1.0 }
  }

  /// All logs that are kept, oldest first; the last is the one that is written.
  func kept() throws(FileError) -> [String] { try archives().map(\.path) + [readable()] }

  /// Where the log is to be read: while ``exchange(now:)`` is half done, or was when the machine died, in ``next``.
  func readable() throws(FileError) -> String {
    if try !isThere(current), try isWhole(next) { return next }
    return current
  }

  /// Finishes an exchange that was cut short, takes away a beginning that was, and makes the folder.
  func recover() throws(FileError) {
    if try !isThere(current), try isWhole(next) {
      try files.rename(next, to: current)
      try takeOver()
    } else {
      try remove(next)
    }
    _ = try files.makeFolder(current)
    try files.syncFolder(parent)
  }

  /// Makes an empty folder for the log that is begun.
  func makeNext() throws(FileError) {
    try remove(next)
    _ = try files.makeFolder(next)
  }

  /// Puts the present log aside, and the one that was begun in its place, which must be whole and on the disk.
  func exchange(now: Instant) throws(FileError) {
    let last = try archives().last?.second ?? .min
    let archive = "\(parent)/\(sink)~\(max(now.seconds, last &+ 1))"
    try files.rename(current, to: archive)
    do throws(FileError) {
      try files.rename(next, to: current)
    } catch {
      // When this fails too, the next start puts the new one in its place.
      try? files.rename(archive, to: current)
      throw error
    }
    try takeOver()
    try files.syncFolder(parent)
  }

  /// Removes the logs that were put aside before `boundary`.
  func removeArchives(before boundary: Instant) throws(FileError) {
    for archive in try archives() where archive.second < boundary.seconds {
      try remove(archive.path)
      try files.syncFolder(parent)
    }
  }

  /// Brings what lies beside the newest archive's segments, as devices that are gone, to the present log.
  private func takeOver() throws(FileError) {
    guard let archive = try archives().last?.path else { return }
    let known = Set(try files.names(in: current))
    for name in try files.names(in: archive)
    where !known.contains(name) && !name.hasSuffix(".jsonl") && name != RelayCache.name {
      try files.rename("\(archive)/\(name)", to: "\(current)/\(name)")
    }
    try files.syncFolder(current)
  }

  private func isThere(_ path: String) throws(FileError) -> Bool {
    try files.namesIfPresent(in: path).contains { $0.hasSuffix(".jsonl") }
  }

  /// The cache is written last.
  private func isWhole(_ path: String) throws(FileError) -> Bool {
    try files.namesIfPresent(in: path).contains(RelayCache.name)
  }

  private func remove(_ path: String) throws(FileError) {
    let names = try files.namesIfPresent(in: path)
    for name in names { try files.remove("\(path)/\(name)") }
    do throws(FileError) {
      try files.removeFolder(path)
    } catch {
      guard error.isMissing else { throw error }
    }
  }
}
