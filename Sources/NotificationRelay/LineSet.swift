/// Lines of a ledger, a bit for each.
public struct LineSet: Sendable {
  private var words: [UInt64] = []

  /// No line.
  public init() {}

  /// Adds a line.
  public mutating func insert(_ seq: UInt64) {
    let word = Int(clamping: seq / 64)
    // What no ledger reaches is no line.
    guard word < 1 << 32 else { return }
    if word >= words.count {
      words += repeatElement(0, count: max(word + 1 - words.count, words.count))
    }
    words[word] |= 1 << (seq % 64)
  }

  /// Whether the line is there.
  public func contains(_ seq: UInt64) -> Bool {
    let word = Int(clamping: seq / 64)
    return word < words.count && words[word] & 1 << (seq % 64) != 0
  }
}
