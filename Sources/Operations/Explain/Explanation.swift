package import CivilTime
package import Engine
package import Ledger
package import RewardRules

/// The reasons a user did or did not receive what a day should have granted.
package struct Explanation: Sendable {
  /// A record with its place and the seal that commits it.
  package struct Sealed: Sendable {
    /// The record.
    package let record: Record
    /// The seal that commits it.
    package let seal: LedgerHead
  }

  /// The delivery of one grant to one sink.
  package struct Delivery: Sendable {
    /// The sink's name.
    package let sink: String
    /// The grant's key.
    package let key: String
    /// The grant's line.
    package let seq: UInt64
    /// Whether the sink has received it.
    package let isDelivered: Bool
    /// Whether delivery was given up; then only relay replay sends it.
    package let isDead: Bool
    /// Whether the sink skipped it, because it does not send such events.
    package let isSkipped: Bool
    /// The number of recorded attempts.
    package let attempts: Int
    /// The time and outcome of the last attempt; nil when none is recorded.
    package let last: (at: Instant, outcome: String)?
  }

  /// The changes that a backfill would make.
  package struct Waiting: Sendable {
    /// The first day that waits.
    package let since: Day
    /// The records that would be appended for the user, including those for earlier waiting days.
    package let records: [RecordBody]
  }

  /// The user's id.
  package let user: String
  /// The day as the rules evaluate it.
  package let day: EvaluatedDay
  /// Whether it is the day on which the user left, not yet closed.
  package let isDayOfLeaving: Bool
  /// The steps of the evaluation, in order.
  package var trace: [TraceStep] { day.trace }
  /// The changes of a backfill through the day; nil when the day does not wait for one.
  package let waiting: Waiting?
  /// The version of the time zone database: that of the close, or the one in use.
  package let tzdata: String
  /// All records about the user and the day, in order: evidence, credits, grants and adjustments, streak, unknowns, refusals,
  /// manual gifts, reversals, outages, pardons and the close.
  package let records: [Sealed]
  /// The acts that took two people.
  package let requests: RequestMarks
  /// The delivery of each grant to each sink.
  package let deliveries: [Delivery]

  /// The names of all missions of the day, `login` first; `level`, `manual` and `waived` only where they granted
  /// something.
  package let missions: [String]
}
