public import CivilTime
public import Evidence

/// Everything known about one user's day: the input to the rules.
public struct DayFacts: Sendable {
  /// The day and its window.
  public var window: UserWindow
  /// The kinds with evidence.
  public private(set) var met: KindSet = []
  /// The kinds that are not ``accomplished`` and whose polls do not cover the whole window.
  public var uncovered: KindSet = []
  /// The kinds with an open activity that reaches into the day after the day's rules have stopped believing it.
  public var outlasted: KindSet = []
  /// The kinds with a configured source. The streak ignores the others.
  public var watched: KindSet = .all
  /// Whether an operator excused this user's day.
  public var isExcused = false
  /// Whether the day is being closed, so that what is unknown now stays unknown. Otherwise it may still change.
  public var isClosing = false
  /// What the user received elsewhere within the window, in order of effect.
  public var credits: [Credit] = []
  /// The gaps of the `uncovered` kinds, for the record and the trace.
  public var gaps: [Gap] = []
  /// The gaps short enough to count as covered.
  public var tolerated: [Gap] = []
  /// How long each met kind lasted whose mission has a minimum duration.
  public var durations: [MissionDuration] = []

  private var touches: EachKind<EarliestEvidence> = .init(
    repeating: EarliestEvidence(effective: .earliest, seq: 0))

  /// Creates a day with nothing known but its window, which polls cover.
  public init(window: UserWindow) { self.window = window }

  /// The earliest evidence of `kind`; nil if there is none.
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

  // Goes through a pointer, because a computed index would first copy all of them.
  private func touch(_ kind: ActivityKind) -> EarliestEvidence {
    withUnsafeBytes(of: touches) {
      $0.assumingMemoryBound(to: EarliestEvidence.self)[Int(kind.rawValue)]
    }
  }

  /// The met kinds, without those whose mission wants them to last longer.
  public var accomplished: KindSet {
    durations.reduce(into: met) { if $1.reached == nil { $0.remove($1.kind) } }
  }

  /// Returns the evidence that meets the mission `kind`: the earliest or, for a minimum duration, the one that
  /// completes it.
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

/// How long something lasted on a day, for a mission with a minimum duration.
public struct MissionDuration: Hashable, Sendable {
  /// What the user did.
  public let kind: ActivityKind
  /// The proven duration, in seconds.
  public let seconds: Int64
  /// The minimum duration, in seconds.
  public let least: Int64
  /// When the minimum was reached, with the evidence that proves it; nil if it was not.
  public let reached: EarliestEvidence?

  /// Creates the duration that `time` proves, for a minimum of `least` seconds.
  public init(_ kind: ActivityKind, _ time: ProvenTime, least: Int64) {
    self.kind = kind
    self.least = least
    seconds = time.nanoseconds / 1_000_000_000
    reached = time.reaching(seconds: least)
  }
}

extension DayFacts {
  /// Returns the kind among `kinds` whose evidence takes effect first; ties go to the first by name.
  func earliest(of kinds: KindSet) -> (kind: ActivityKind, touch: EarliestEvidence)? {
    earliest(of: kinds) { self[$0] }
  }

  /// Returns the mission among `missions` that is met first; ties go to the first by name.
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
      if let best {
        if best.touch.effective < touch.effective { continue }
        if best.touch.effective == touch.effective, best.kind < kind { continue }
      }
      best = (kind, touch)
    }
    return best
  }
}
