package import CivilTime
import Failures
import Foundations
package import Ledger
package import LedgerStore
import Scheduling

/// One user: what is known of the user, what the user has, and the last days.
package struct UserReport: Sendable {
  /// The days to show.
  package struct Span: Sendable {
    private let from: Day?
    private let to: Day?
    private let count: Int?

    private static let usualCount: Int32 = 7

    /// Creates the span between `from` and `to`, or of `count` days from `from` on or up to `to`. By default it ends with the running day
    /// and has 7 days, none before the first judged day.
    package init(from: Day?, to: Day?, count: Int? = nil) {
      self.from = from
      self.to = to
      self.count = count
    }

    /// Returns the days for a user judged from `firstDay` on, while `today` runs.
    fileprivate func days(since firstDay: Day, today: Day) throws(Failure) -> ClosedRange<Day> {
      let count = count.map { Int32($0) }
      let last = to ?? count.flatMap { from?.adding(days: $0 - 1) } ?? today
      let begin = last.adding(days: 1 - (count ?? Self.usualCount))
      let first = from ?? min(last, max(firstDay, begin))
      guard first <= last else {
        throw Failure(
          .usage,
          "--from \(first) is later than \(to == nil ? "\(last), the current day" : "--to \(last)")"
        )
      }
      guard last.civil.year <= 9_999 else {
        throw Failure(.usage, "the days extend beyond the year 9999", place: "--days")
      }
      guard last.number - first.number < Int32(UserTimeline.daysAtMost) else {
        throw Failure(.usage, "at most \(UserTimeline.daysAtMost) days at once")
      }
      return first...last
    }
  }

  /// What the lines about the user come to.
  package let state: LedgerState
  /// The user.
  package let account: Account
  /// What the user has.
  package let balance: Balance
  /// The days.
  package let timeline: UserTimeline

  /// Reads one user's lines, or those up to `instant`; `now` is the present, by default the time of the last line. Throws ``Failures/Failure`` when the ledger does not
  /// know the user or the span is too long, ``LedgerStore/LedgerError``, or an error about a zone that the machine does not know.
  package static func read(
    _ ledger: LedgerReader, of user: String, _ span: Span, at instant: Instant? = nil,
    now: Instant? = nil, zones: any ZoneSource
  ) async throws -> UserReport {
    try await BlockingThread(named: "rewards.user").run {
      let lines = try UserLines(ledger, of: user, at: instant, zones: zones)
      guard let balance = lines.state.balance(of: user) else { throw Failure.unknownUser(user) }
      let today = lines.zone.localDateTime(at: instant ?? now ?? lines.state.at).day
      let days = try span.days(since: lines.account.firstDay, today: today)
      return UserReport(
        state: lines.state, account: lines.account, balance: balance,
        timeline: UserTimeline(lines, days: days, today: today))
    }
  }
}
