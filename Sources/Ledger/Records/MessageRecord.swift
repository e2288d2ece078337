public import CivilTime
public import RewardRules
internal import StrictJSON

/// It was decided to tell a user something. The record changes nothing that anybody has: it is there so that it is told once.
public struct MessageRecord: Sendable, Equatable {
  /// What is told.
  public enum Subject: String, Sendable, CaseIterable, LineWord {
    /// Nothing has counted on the running day, and the streak breaks with it.
    case streakAtRisk
    /// A backfill has changed what the user got.
    case backfilled

    static var blank: Subject { .streakAtRisk }
    static var noun: StaticString { "subject of a message" }
  }

  /// The user's id.
  public var user = ""
  /// Of a streak at risk: the running day.
  public var day: Day?
  /// What is told.
  public var what = Subject.streakAtRisk
  /// The streak that would break.
  public var streak: StreakMark?
  /// When the running day ends.
  public var end: Instant?
  /// Up to when it was known that nothing had counted.
  public var knownThrough: Instant?
  /// The plan of a backfill.
  public var plan: String?
  /// What the plan gave and took in all.
  public var amounts = Amounts()
  /// Items that the plan gave and did not take, as `CATEGORY/ITEM`.
  public var items: [String] = []
  /// Items that it took and did not give.
  public var removedItems: [String] = []
  /// When the last booster that it gave ends.
  public var boosterUntil: Instant?

  init() {}

  /// A warning that a streak breaks with the running day.
  public init(
    user: String, day: Day, streak: StreakMark, end: Instant, knownThrough: Instant
  ) {
    self.user = user
    self.day = day
    self.streak = streak
    self.end = end
    self.knownThrough = knownThrough
  }

  /// The summary of what a plan did for a user.
  public init(
    user: String, plan: String, amounts: Amounts, items: [String] = [],
    removedItems: [String] = [], boosterUntil: Instant? = nil
  ) {
    self.user = user
    self.plan = plan
    self.amounts = amounts
    self.items = items
    self.removedItems = removedItems
    self.boosterUntil = boosterUntil
    what = .backfilled
  }
}

extension MessageRecord: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    try coder.field("user", &user)
    try coder.field("day", &day)
    try coder.field("what", &what)
    try coder.field("streak", &streak)
    try coder.field("end", &end)
    try coder.field("knownThrough", &knownThrough)
    try coder.field("plan", &plan)
    try coder.field("points", &amounts.points, unless: 0)
    try coder.field("exp", &amounts.exp, unless: 0)
    try coder.field("coins", &amounts.coins, unless: 0)
    try coder.field("items", &items, unless: [])
    try coder.field("removedItems", &removedItems, unless: [])
    try coder.field("boosterUntil", &boosterUntil)
  }
}
