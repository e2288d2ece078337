/// Grant keys of a ledger, in 16 bytes each.
///
/// Open addressing over 80-bit hashes with the 48-bit sequence number of the first holder. Among 100 million keys the
/// chance that two different ones are taken for one is 1 in 240 million.
public struct GrantKeySet: Sendable {
  private struct Entry {
    var hash: UInt64
    /// 16 more bits of hash, then the sequence number; 0 marks a free entry, since sequence numbers begin at 1.
    var rest: UInt64
  }

  private static let seqMask: UInt64 = 1 << 48 - 1

  private var entries: [Entry]
  /// How many keys are held.
  public private(set) var count = 0

  /// An empty set.
  public init() { entries = Array(repeating: Entry(hash: 0, rest: 0), count: 1 << 12) }

  /// Adds a key; returns the sequence number under which it is held already, else nil.
  public mutating func insert(_ mark: GrantMark) -> UInt64? {
    // At most five eighths full.
    if count * 8 >= entries.count * 5 { grow() }
    let tag = UInt64(mark.moreHash) << 48
    let mask = entries.count - 1
    return entries.withUnsafeMutableBufferPointer { entries in
      var index = Int(truncatingIfNeeded: mark.hash) & mask
      while entries[index].rest != 0 {
        if entries[index].hash == mark.hash, entries[index].rest & ~Self.seqMask == tag {
          return entries[index].rest & Self.seqMask
        }
        index = (index + 1) & mask
      }
      entries[index] = Entry(hash: mark.hash, rest: tag | mark.seq & Self.seqMask)
      count += 1
      return nil
    }
  }

  /// The sequence number under which a key is held; nil when it is not.
  public func holder(of mark: GrantMark) -> UInt64? {
    let tag = UInt64(mark.moreHash) << 48
    let mask = entries.count - 1
    var index = Int(truncatingIfNeeded: mark.hash) & mask
    while entries[index].rest != 0 {
      if entries[index].hash == mark.hash, entries[index].rest & ~Self.seqMask == tag {
        return entries[index].rest & Self.seqMask
      }
      index = (index + 1) & mask
    }
    return nil
  }

  private mutating func grow() {
    var larger = [Entry](repeating: Entry(hash: 0, rest: 0), count: entries.count * 2)
    let mask = larger.count - 1
    larger.withUnsafeMutableBufferPointer { larger in
      for entry in entries where entry.rest != 0 {
        var index = Int(truncatingIfNeeded: entry.hash) & mask
        while larger[index].rest != 0 { index = (index + 1) & mask }
        larger[index] = entry
      }
    }
    entries = larger
  }
}
