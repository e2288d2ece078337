public import CivilTime
public import Evidence

/// All that is known of one day of one user: the rules' input.
public struct DayFacts: Sendable {
  /// The day and its window.
  public var window: UserWindow
  /// The kinds that some evidence shows.
  public private(set) var met: KindSet = []
  /// The kinds without evidence of which some part of the window is not covered by looks; never overlaps `met`.
  public var uncovered: KindSet = []
  /// The kinds whose source is configured; the others are left out of the streak.
  public var watched: KindSet = .all
  /// Whether an operator declared an outage for this user and day.
  public var isExcused = false
  /// Whether the day is being closed: what is unknown now stays unknown. Else a day may still become anything.
  public var isClosing = false
  /// What the user got elsewhere within the window, in order of effect.
  public var credits: [Credit] = []
  /// The gaps of the kinds in `uncovered`, for the record and the trace.
  public var gaps: [Gap] = []
  /// Gaps short enough to count as covered.
  public var tolerated: [Gap] = []

  private var touches: InlineArray<8, EarliestEvidence> = .init(
    repeating: EarliestEvidence(effective: .earliest, seq: 0))

  /// A day of which nothing is known but its window, covered by looks.
  public init(window: UserWindow) { self.window = window }

  /// The earliest evidence of `kind`, nil when there is none.
  public subscript(kind: ActivityKind) -> EarliestEvidence? {
    get { met.contains(kind) ? touches[Int(kind.rawValue)] : nil }
    set {
      if let newValue {
        met.insert(kind)
        uncovered.remove(kind)
        touches[Int(kind.rawValue)] = newValue
      } else {
        met.remove(kind)
      }
    }
  }

  /// The verdict for `kind`.
  public func verdict(_ kind: ActivityKind) -> Verdict {
    if met.contains(kind) { return .met }
    return uncovered.contains(kind) ? .unknown : .notMet
  }
}

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
