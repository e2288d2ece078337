internal import Evidence

extension DayFacts {
  /// The kind of `kinds` whose evidence takes effect first; of several at one instant, the first by name.
  func earliest(of kinds: KindSet) -> (kind: ActivityKind, touch: EarliestEvidence)? {
    var best: (kind: ActivityKind, touch: EarliestEvidence)?
    var bits = kinds.rawValue
    while bits != 0 {
      let lowest = UInt8(truncatingIfNeeded: bits.trailingZeroBitCount)
      bits &= bits &- 1
      guard let kind = ActivityKind(rawValue: lowest), let touch = self[kind] else { continue }
      if let best, best.touch.effective <= touch.effective { continue }
      best = (kind, touch)
    }
    return best
  }
}
