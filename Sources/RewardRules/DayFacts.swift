public import CivilTime
public import Evidence

/// All that is known of one day of one user: the rules' input.
public struct DayFacts: Sendable {
  /// The day and its window.
  public var window: UserWindow
  /// The kinds that some evidence shows.
  public private(set) var met: KindSet = []
  /// The kinds that are not ``accomplished`` and of which some part of the window is not covered by looks.
  public var uncovered: KindSet = []
  /// The kinds of which an activity without an end was seen to go on into the day, for longer than the day's rules believe.
  public var outlasted: KindSet = []
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
  /// How long it lasted, of each kind that is met and whose mission wants a least duration.
  public var durations: [MissionDuration] = []

  private var touches: InlineArray<8, EarliestEvidence> = .init(
    repeating: EarliestEvidence(effective: .earliest, seq: 0))

  /// Creates a day of which nothing is known but its window, covered by looks.
  public init(window: UserWindow) { self.window = window }

  /// The earliest evidence of `kind`, nil when there is none.
  public subscript(kind: ActivityKind) -> EarliestEvidence? {
    get { met.contains(kind) ? touch(kind) : nil }
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

  // By constant places: by a computed one all of them would be copied first.
  private func touch(_ kind: ActivityKind) -> EarliestEvidence {
    switch kind {
    case .comment: touches[0]
    case .follow: touches[1]
    case .gift: touches[2]
    case .login: touches[3]
    case .purchase: touches[4]
    case .share: touches[5]
    case .stream: touches[6]
    case .watch: touches[7]
    }
  }

  /// The kinds that are met, but for those whose mission wants them to last longer.
  public var accomplished: KindSet {
    durations.reduce(into: met) { if $1.reached == nil { $0.remove($1.kind) } }
  }

  /// What makes the mission `kind` met: the earliest evidence of it, or that with which it lasted long enough.
  public func accomplishment(of kind: ActivityKind) -> EarliestEvidence? {
    for duration in durations where duration.kind == kind { return duration.reached }
    return self[kind]
  }

  /// Returns the verdict for the mission `kind`.
  public func verdict(_ kind: ActivityKind) -> Verdict {
    if accomplishment(of: kind) != nil { return .met }
    return uncovered.contains(kind) ? .unknown : .notMet
  }
}

/// How long something lasted on a day whose mission wants a least duration.
public struct MissionDuration: Hashable, Sendable {
  /// What the user did.
  public let kind: ActivityKind
  /// For how many seconds, by what evidence proves.
  public let seconds: Int64
  /// For how many it must last.
  public let least: Int64
  /// When it had lasted so long, and the evidence that proves it; nil when it did not.
  public let reached: EarliestEvidence?

  /// What `time` proves of a kind that must last `least` seconds.
  public init(_ kind: ActivityKind, _ time: ProvenTime, least: Int64) {
    self.kind = kind
    self.least = least
    seconds = time.nanoseconds / 1_000_000_000
    reached = time.reaching(seconds: least)
  }
}

extension DayFacts {
  /// Returns the kind of `kinds` whose evidence takes effect first; of several at one instant, the first by name.
  func earliest(of kinds: KindSet) -> (kind: ActivityKind, touch: EarliestEvidence)? {
    earliest(of: kinds) { self[$0] }
  }

  /// Returns the mission of `missions` that is met first; of several at one instant, the first by name.
  func earliestMission(of missions: KindSet) -> (kind: ActivityKind, touch: EarliestEvidence)? {
    earliest(of: missions) { accomplishment(of: $0) }
  }

  @inline(__always)
  private func earliest(
    of kinds: KindSet, _ evidence: (ActivityKind) -> EarliestEvidence?
  ) -> (kind: ActivityKind, touch: EarliestEvidence)? {
    var best: (kind: ActivityKind, touch: EarliestEvidence)?
    var bits = kinds.rawValue
    while bits != 0 {
      let lowest = UInt8(truncatingIfNeeded: bits.trailingZeroBitCount)
      bits &= bits &- 1
      guard let kind = ActivityKind(rawValue: lowest), let touch = evidence(kind) else { continue }
      if let best, best.touch.effective <= touch.effective { continue }
      best = (kind, touch)
    }
    return best
  }
}
