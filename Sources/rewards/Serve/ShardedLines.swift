import CivilTime
import Configuration
import Scheduling

/// Lines for the inboxes of several ledgers.
enum ShardedLines {
  /// The shards that must see `lines`, in order: those of their users, and all of them for a watermark. What is wrong with a line
  /// the first one tells.
  static func shards(of lines: [UInt8], among count: Int, naiveZone: Zone) -> [Int] {
    let parser = InboxParser(naiveZone: naiveZone)
    var found: Set<Int> = []
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      let entry = line.withUnsafeBufferPointer { try? parser.parse($0) }
      guard let entry else {
        found.insert(0)
        continue
      }
      guard let user = entry.user else { return Array(0..<count) }
      found.insert(LedgerShare.number(of: user, among: count))
    }
    return found.isEmpty ? [0] : found.sorted()
  }
}
