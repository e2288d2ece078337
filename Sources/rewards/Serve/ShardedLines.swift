import CivilTime
import Configuration
import Scheduling

/// Finds the ledgers whose inboxes need activity lines.
enum ShardedLines {
  /// Returns the shards that must see `lines`, in order: those of their users, or all of them for a `completeThrough`
  /// line. The first shard reports malformed lines.
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
      found.insert(ShardID.number(of: user, among: count))
    }
    return found.isEmpty ? [0] : found.sorted()
  }
}
