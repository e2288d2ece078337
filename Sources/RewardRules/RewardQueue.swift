internal import CivilTime
internal import Evidence

/// All that happens on one day, handed out in the order of the spec: by effective time; at one instant first credits,
/// then `login`, then missions by name, then level rewards by number.
struct RewardQueue {
  /// The day's credits, by their instants.
  let credits: [Credit]
  /// The level rewards that became due. Each takes effect when its level is lifted, so they are in order as they come.
  private(set) var dueLevels: [DueReward] = []
  private var missions: KindSet
  private var login: EarliestEvidence?
  private var nextCredit = 0
  private var nextLevel = 0

  /// Creates the queue of a day on which `missions` are met; `login` is nil when the streak gives nothing.
  init(facts: borrowing DayFacts, missions: KindSet, login: EarliestEvidence?) {
    self.missions = missions
    self.login = login
    let isOrdered = facts.credits.count < 2
    credits = isOrdered ? facts.credits : facts.credits.sorted { $0.effective < $1.effective }
  }

  /// Adds a level reward that what was handed out last has brought.
  mutating func add(_ level: DueReward) { dueLevels.append(level) }

  /// How many grants the day brings, level rewards aside.
  var count: Int { missions.rawValue.nonzeroBitCount + (login == nil ? 0 : 1) }

  /// Takes the next event out; nil when the day is done. `facts` are those of the queue's making.
  mutating func next(in facts: DayFacts) -> RewardEvent? {
    // Asked in the order that decides at one instant: a later one wins only when it is strictly earlier.
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
    if nextLevel < dueLevels.count, Self.lowers(&best, dueLevels[nextLevel].effective) {
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

/// The next thing of a day that changes an account.
enum RewardEvent {
  /// The credit at this place of ``RewardQueue/credits``.
  case credit(Int)
  case login(EarliestEvidence)
  case mission(ActivityKind, EarliestEvidence)
  /// The level reward at this place of ``RewardQueue/dueLevels``.
  case level(Int)
}

/// What the rules owe under one key, before draws, boosters and limits.
struct DueReward {
  let key: RewardKey
  let terms: RewardTerms
  let effective: Instant
  let evidence: UInt64?
  var streak: StreakState?
}
