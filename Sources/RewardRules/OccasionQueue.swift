internal import CivilTime
internal import Evidence

/// All that happens on one day, handed out in the order of the spec: by effective time; at one instant first credits,
/// then `login`, then missions by name, then level rewards by number.
struct OccasionQueue {
  private var missions: KindSet
  private var login: Touch?
  private var credits: ArraySlice<Credit>
  // A level reward takes effect when its level is lifted, so these are in order as they come.
  private var dueLevels: ArraySlice<Offer> = []

  /// The queue of a day on which `missions` are met; `login` is nil when the streak gives nothing.
  init(facts: DayFacts, missions: KindSet, login: Touch?) {
    self.missions = missions
    self.login = login
    credits = facts.credits[...]
    if credits.count > 1 { credits.sort { $0.effective < $1.effective } }
  }

  /// Adds a level reward that what was handed out last has brought.
  mutating func add(_ level: Offer) { dueLevels.append(level) }

  /// How many grants the day brings, level rewards aside.
  var count: Int { missions.rawValue.nonzeroBitCount + (login == nil ? 0 : 1) }

  /// Takes the next occasion out; nil when the day is done. `facts` are those of the queue's making.
  mutating func next(in facts: DayFacts) -> Occasion? {
    // Asked in the order that decides at one instant: a later one wins only when it is strictly earlier.
    var best: Instant?
    if let credit = credits.first { best = credit.effective }
    let isLogin = Self.lowers(&best, login?.effective)
    let mission = facts.earliest(of: missions)
    let isMission = Self.lowers(&best, mission?.touch.effective)
    if Self.lowers(&best, dueLevels.first?.effective) {
      return dueLevels.popFirst().map(Occasion.level)
    }
    if isMission, let mission {
      missions.remove(mission.kind)
      return .mission(mission.kind, mission.touch)
    }
    if isLogin, let touch = login {
      login = nil
      return .login(touch)
    }
    return credits.popFirst().map(Occasion.credit)
  }

  private static func lowers(_ best: inout Instant?, _ candidate: Instant?) -> Bool {
    guard let candidate else { return false }
    if let best, best <= candidate { return false }
    best = candidate
    return true
  }
}
