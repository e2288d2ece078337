internal import CivilTime
internal import Evidence

/// The events of one day in the order of grants: by effective time and, at the same instant, credits, then `login`,
/// then missions by name, then level rewards by number.
struct RewardQueue {
  /// The day's credits, ordered by instant.
  let credits: [Credit]
  /// The levels reached so far that give something, with the evidence that lifted them. They arrive in order.
  private(set) var dueLevels: [(reached: DayOutcome.LevelReached, evidence: UInt64?)] = []
  private var missions: KindSet
  private var login: EarliestEvidence?
  private var nextCredit = 0
  private var nextLevel = 0

  /// Creates the queue for a day on which `missions` are met; `login` is nil if the streak gives nothing.
  init(facts: borrowing DayFacts, missions: KindSet, login: EarliestEvidence?) {
    self.missions = missions
    self.login = login
    let isOrdered = facts.credits.count < 2
    credits = isOrdered ? facts.credits : facts.credits.sorted { $0.counts(before: $1) }
  }

  /// Adds a level reward caused by the last event returned.
  mutating func add(_ reached: DayOutcome.LevelReached, evidence: UInt64?) {
    dueLevels.append((reached, evidence))
  }

  /// The number of grants of the day, not counting level rewards.
  var count: Int { missions.rawValue.nonzeroBitCount + (login == nil ? 0 : 1) }

  /// Removes and returns the next event; nil at the end of the day. `facts` must be those the queue was created from.
  mutating func next(in facts: DayFacts) -> RewardEvent? {
    // Candidates are compared in the order that breaks ties: a later one wins only if strictly earlier in time.
    var best: Instant?
    var event: RewardEvent?
    if nextCredit < credits.count {
      best = credits[nextCredit].effective
      event = .credit(nextCredit)
    }
    if let login, Self.lowers(&best, login.effective) { event = .login(login) }
    if let (kind, touch) = facts.earliestMission(of: missions), Self.lowers(&best, touch.effective)
    {
      event = .mission(kind, touch)
    }
    if nextLevel < dueLevels.count, Self.lowers(&best, dueLevels[nextLevel].reached.effective) {
      event = .level(nextLevel)
    }
    switch event {
    case .credit: nextCredit += 1
    case .login: login = nil
    case .mission(let kind, _): missions.remove(kind)
    case .level: nextLevel += 1
    case nil: break
    }
    return event
  }

  private static func lowers(_ best: inout Instant?, _ candidate: Instant) -> Bool {
    if let best, best <= candidate { return false }
    best = candidate
    return true
  }
}

/// The next event of a day that changes an account.
enum RewardEvent {
  /// The credit at this index of ``RewardQueue/credits``.
  case credit(Int)
  case login(EarliestEvidence)
  case mission(ActivityKind, EarliestEvidence)
  /// The level reward at this index of ``RewardQueue/dueLevels``.
  case level(Int)
}
