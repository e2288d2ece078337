public import CivilTime
public import Engine
public import Ledger
public import RewardRules

/// The reasons a user did or did not receive what a day should have granted.
public struct Explanation: Sendable {
  /// A record with its place and the seal that commits it.
  public struct Sealed: Sendable {
    /// The record.
    public let record: Record
    /// The seal that commits it.
    public let seal: LedgerHead
  }

  /// The delivery of one grant to one sink.
  public struct Delivery: Sendable {
    /// The sink's name.
    public let sink: String
    /// The grant's key.
    public let key: String
    /// The grant's line.
    public let seq: UInt64
    /// Whether the sink has received it.
    public let isDelivered: Bool
    /// Whether delivery was given up; then only relay replay sends it.
    public let isDead: Bool
    /// Whether the sink skipped it, because it does not send such events.
    public let isSkipped: Bool
    /// The number of recorded attempts.
    public let attempts: Int
    /// The time and outcome of the last attempt; nil when none is recorded.
    public let last: (at: Instant, outcome: String)?
  }

  /// The changes that a backfill would make.
  public struct Waiting: Sendable {
    /// The first day that waits.
    public let since: Day
    /// The records that would be appended for the user, including those for earlier waiting days.
    public let records: [RecordBody]
  }

  /// The user's id.
  public let user: String
  /// The day as the rules evaluate it.
  public let day: EvaluatedDay
  /// Whether it is the day on which the user left, not yet closed.
  public let isDayOfLeaving: Bool
  /// The steps of the evaluation, in order.
  public let trace: [TraceStep]
  /// The changes of a backfill through the day; nil when the day does not wait for one.
  public let waiting: Waiting?
  /// The version of the time zone database: that of the close, or the one in use.
  public let tzdata: String
  /// All records about the user and the day, in order: evidence, grants and adjustments, streak, unknowns, refusals, manual
  /// gifts, reversals, excuses and the close.
  public let records: [Sealed]
  /// The delivery of each grant to each sink.
  public let deliveries: [Delivery]

  /// The names of all missions of the day, `login` first; `level`, `manual` and `waived` only where they granted something.
  public let missions: [String]
}
