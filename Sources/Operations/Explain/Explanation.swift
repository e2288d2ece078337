public import CivilTime
public import Engine
public import Ledger
public import RewardRules

/// Why a user has, or has not, what a day should have brought.
public struct Explanation: Sendable {
  /// A record with its place and the seal that commits it.
  public struct Sealed: Sendable {
    /// The record.
    public let record: Record
    /// The seal behind it.
    public let seal: LedgerHead
  }

  /// How far a sink has been served with one grant.
  public struct Delivery: Sendable {
    /// The sink's name.
    public let sink: String
    /// The grant's key.
    public let key: String
    /// The grant's line.
    public let seq: UInt64
    /// Whether the sink has got it.
    public let isDelivered: Bool
    /// Whether it was given up; then only relay replay sends it.
    public let isDead: Bool
    /// Whether the sink has passed it over: it tells nobody of such an event.
    public let isSkipped: Bool
    /// How often it was tried, as far as that is recorded.
    public let attempts: Int
    /// The last attempt: when, and what it ended with; nil where none is recorded.
    public let last: (at: Instant, outcome: String)?
  }

  /// What a backfill would bring.
  public struct Waiting: Sendable {
    /// The first day that waits.
    public let since: Day
    /// What would be appended for the user, earlier days that wait included.
    public let records: [RecordBody]
  }

  /// The user's id.
  public let user: String
  /// How the rules see the day.
  public let day: EvaluatedDay
  /// Whether it is the day on which the user has left, and not closed yet.
  public let isDayOfLeaving: Bool
  /// The steps that the rules took, in order.
  public let trace: [TraceStep]
  /// What a backfill up to the day would bring, where the day waits for one; nil where it does not.
  public let waiting: Waiting?
  /// The version of the time zone database: that of the close, or the one in use.
  public let tzdata: String
  /// Everything that the ledger says of the user and the day, in order: evidence, grants and adjustments, streak, unknowns,
  /// refusals, gifts by hand, reversals, excuses and the close.
  public let records: [Sealed]
  /// What became of each grant at each sink.
  public let deliveries: [Delivery]

  /// The names of all missions of the day, `login` first; `level`, `manual` and `waived` where something was
  /// granted so.
  public let missions: [String]
}
