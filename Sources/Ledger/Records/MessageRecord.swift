public import CivilTime
public import Described
public import RewardRules

/// The record of a decision to tell a user something. It changes no balance; it ensures that the user is told only once.
public struct MessageRecord: Sendable, Equatable {
  /// The subject of a message.
  public enum Subject: String, Sendable, CaseIterable, Word {
    /// Nothing has counted on the running day, and the streak will break with it.
    case streakAtRisk
    /// A backfill has changed what the user received.
    case backfilled

    /// The noun for it, used in errors.
    public static var noun: StaticString { "subject of a message" }
  }

  /// The user's id.
  public var user: String
  /// The running day; only for a streak at risk.
  public var day: Day?
  /// The subject.
  public var what: Subject
  /// The streak that would break.
  public var streak: StreakMark?
  /// When the running day ends.
  public var end: Instant?
  /// Until when it was known that nothing had counted.
  public var knownThrough: Instant?
  /// The plan of the backfill.
  public var plan: String?
  /// The total that the plan gave and took.
  public var amounts = Amounts()
  /// Items that the plan gave and did not take back, as `CATEGORY/ITEM`.
  public var items: [String] = []
  /// Items that the plan took and did not give back.
  public var removedItems: [String] = []
  /// When the last booster from the plan ends.
  public var boosterUntil: Instant?

  /// Creates a warning that a streak will break with the running day.
  public init(
    user: String, day: Day, streak: StreakMark, end: Instant, knownThrough: Instant
  ) {
    self.user = user
    self.day = day
    self.streak = streak
    self.end = end
    self.knownThrough = knownThrough
    what = .streakAtRisk
  }

  /// Creates a summary of what a plan did for a user.
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

extension MessageRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    day = try coder.optional("day", value?.pointee.day)
    what = try coder.field("what", value?.pointee.what)
    streak = try coder.optional("streak", value?.pointee.streak)
    end = try coder.optional("end", value?.pointee.end)
    knownThrough = try coder.optional("knownThrough", value?.pointee.knownThrough)
    plan = try coder.optional("plan", value?.pointee.plan)
    amounts = try Amounts(notZero: &coder, value?.pointer(to: \.amounts))
    items = try coder.field("items", value?.pointee.items, unless: [])
    removedItems = try coder.field("removedItems", value?.pointee.removedItems, unless: [])
    boosterUntil = try coder.optional("boosterUntil", value?.pointee.boosterUntil)
  }
}
