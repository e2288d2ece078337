import Described
import Foundations
import Scheduling

/// The rejected lines of one inbox file, collected under a temporary name until they can be put into `rejected/`.
package struct RejectedFile: Sendable {
  /// How many rejected lines are kept with text and reason; the rest are only counted, since the file itself is kept.
  package static let lineLimit = 100_000

  private let name: String
  private var count = 0
  private var beyond = 0

  /// Creates an empty list of rejected lines for the file with this name.
  package init(of name: String) { self.name = name }

  private static let line = JSONMembers<(line: RejectedLine, portion: InboxPortion)> {
    $0.add("line", \.line.number)
    $0.add("reason", \.line.reason)
    $0.add("text") {
      String(decoding: $0.portion.text(of: $0.line.number), as: UTF8.self)
    }
  }

  private static let remark = JSONMembers<String> { $0.add("reason") { $0 } }

  mutating func add(
    _ rejected: [RejectedLine], of portion: InboxPortion, in paths: InboxPaths,
    _ fileSystem: any FileSystem
  ) throws {
    let kept = rejected.sorted { $0.number < $1.number }.prefix(Self.lineLimit - count)
    beyond += rejected.count - kept.count
    guard !kept.isEmpty else { return }
    var text = ""
    for line in kept {
      text += Self.line.text(of: (line, portion)) + "\n"
    }
    try write(Array(text.utf8), in: paths, fileSystem)
    count += kept.count
  }

  /// Puts the lines in place under a free name, on disk; does nothing if there are none.
  func finish(
    as free: String, in paths: InboxPaths, _ fileSystem: any FileSystem
  ) throws {
    guard count > 0 else { return }
    let more = "\(beyond) more lines were rejected; the whole file is in done/\(free)"
    let last = beyond > 0 ? Self.remark.text(of: more) + "\n" : ""
    try write(Array(last.utf8), in: paths, fileSystem, syncs: true)
    try fileSystem.rename(
      "\(paths.rejected)/\(name).tmp", to: "\(paths.rejected)/\(free)")
    try fileSystem.syncFolder(paths.rejected)
  }

  private func write(
    _ bytes: [UInt8], in paths: InboxPaths, _ fileSystem: any FileSystem,
    syncs: Bool = false
  ) throws {
    // The first write discards what an interrupted reading left.
    let file = try fileSystem.open(
      "\(paths.rejected)/\(name).tmp", for: count == 0 ? .replace : .append)
    defer { fileSystem.close(file) }
    try fileSystem.writeAll(bytes, to: file)
    if syncs { try fileSystem.sync(file) }
  }
}
