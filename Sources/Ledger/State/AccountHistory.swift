public import CivilTime
public import Evidence
public import RewardRules

/// All that the ledger says of one user's past, beside the account as it stands.
///
/// Begins where the user does. Evidence and credits are those of open days too; grants and marks only those of closed days.
public struct AccountHistory: Sendable {
  /// The first instant of the first judged day.
  public let start: Instant
  /// The state before the first judged day.
  public let opening: AccountState
  /// The closed days, in order.
  public internal(set) var days: [ClosedDay] = []
  /// All evidence, in the order of the ledger.
  public internal(set) var evidence: [RecordedEvidence] = []
  /// All credits, in the order of the ledger.
  public internal(set) var credits: [RecordedCredit] = []
  /// What stands for closed days, and for level rewards that a plan has moved into them.
  public internal(set) var grants: [StandingGrant] = []
  /// What became of the streak on closed days that do not count, by day.
  public internal(set) var marks: [Day: DayMark] = [:]
  /// What closes and open days could not tell, by day.
  public internal(set) var gaps: [Day: [Gap]] = [:]
  /// The kinds that are recorded as unknown, by day.
  public internal(set) var unknowns: [Day: KindSet] = [:]
}

/// A day of one user that was closed, as the ledger has it.
public struct ClosedDay: Sendable, Equatable {
  /// The window that was closed.
  public let window: UserWindow
  /// The line that closed it.
  public let seq: UInt64
  /// Facts up to and including this line have been taken into account: those before the close, and those that a plan brought in.
  public internal(set) var known: UInt64
  /// The kinds whose source was configured; nil where the ledger does not tell.
  public let watched: KindSet?

  /// The date.
  public var day: Day { window.day }
}

extension AccountHistory {
  /// The index of the grant of a closed day under `text`, or nil.
  func grant(_ text: String) -> Int? { grants.firstIndex { $0.text == text } }

  /// Notes that a plan has brought in, for the days in `range`, all facts up to the line `through`.
  mutating func bringIn(_ range: ClosedRange<Day>, through seq: UInt64) {
    for index in days.indices where range.contains(days[index].day) {
      days[index].known = max(days[index].known, seq)
    }
  }
}
