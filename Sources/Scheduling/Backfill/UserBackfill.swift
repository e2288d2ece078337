public import CivilTime
public import Ledger

/// What a backfill makes of one user: the records that bring the closed days to what they should be. Pure.
public struct UserBackfill: Sendable {
  /// What an operator should know of one user's day.
  public struct Issue: Sendable, Equatable {
    /// How much it matters.
    public enum Severity: String, Sendable {
      /// What the backfill does.
      case information
      /// What a person should look at.
      case warning
    }

    /// The day.
    public let day: Day
    /// How much it matters.
    public let severity: Severity
    /// What there is to know.
    public let text: String
  }

  /// The user's id.
  public var user: String { account.id }
  /// The records, in the order in which they must be appended; none when all is as it should be.
  public let records: [RecordBody]
  /// What changes and what was found, by day.
  public let issues: [Issue]
  /// The account on which this was worked out.
  let account: Account

  /// Works out what the days of `past` should be once `acts`, reversals or releases, are in the ledger. Acts that it holds
  /// already are left out. `holdings` are what the user has left, where that is known from elsewhere.
  public init(
    _ past: UserPast, context: JudgeContext, terms: BackfillTerms, acts: [RecordBody] = [],
    holdings: Holdings? = nil
  ) {
    let work = BackfillWork(past, context: context, terms: terms, acts: acts, holdings: holdings)
    records = work.records
    issues = work.issues
    account = past.account
  }

  /// Whether there is anything to do or to say.
  public var isEmpty: Bool { records.isEmpty && issues.isEmpty }
}
