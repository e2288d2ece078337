extension GrantRecord {
  /// The key, or of an adjustment the key that it adjusts.
  public var baseKey: String { hash.map { String(key[..<$0]) } ?? key }

  /// The number of an adjustment, 0 where the key tells none; nil for a first grant.
  public var adjustment: Int? { hash.map { Int(key[key.index(after: $0)...]) ?? 0 } }

  /// Whether it adjusts what was granted before.
  public var isAdjustment: Bool { hash != nil }

  // By bytes: every grant of a ledger is asked.
  private var hash: String.Index? { key.utf8.lastIndex(of: UInt8(ascii: "#")) }
}
