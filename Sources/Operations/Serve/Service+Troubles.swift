import CivilTime
import Configuration
import Evidence
import Ledger
import Scheduling
import Threading

extension Service {
  /// Notes what a visit says of troubles: that the API answers again, and whether it takes the credentials.
  func settle(_ round: Poller.Round) async {
    let failures = round.failures.values.reduce(0, +)
    if round.failures[.unauthorized] != nil {
      troubles.begin(
        .credentials, reason: "the API refuses the credentials; renew them and send SIGHUP")
    } else if failures < round.looks, runtime.configuration.api.credentials == nil {
      // Of a token for each user another user's success says nothing.
      troubles.end(.credentials)
    }
    guard failures < round.looks, let since = troubles.since(.outage) else { return }
    let hidden = await hiddenDays(since: since, until: runtime.clock.now())
    troubles.end(.outage) { _ in ["users": hidden.users, "days": hidden.days] }
  }

  /// Ends what waited for an operator, once the day is closed.
  func settleGuards() async {
    let waiting = troubles.subjects(of: .guarded)
    if waiting.isEmpty { return }
    let closes = await runtime.writer.read { $0.ledger.closes }
    for subject in waiting {
      guard let slash = subject.lastIndex(of: "/") else { continue }
      let day = Day(String(subject[subject.index(after: slash)...]))
      guard let day, let last = closes[String(subject[..<slash])]?.last.day, last >= day else {
        continue
      }
      troubles.end(.guarded, of: subject)
    }
  }

  /// How many users there are, and how many of their days ended while nobody could look: those may stay unknown.
  private func hiddenDays(since: Instant, until: Instant) async -> (users: Int, days: Int) {
    await runtime.writer.read { state in
      var (users, days) = (0, 0)
      for user in state.ledger.accounts.indices where state.ledger.accounts[user].isPresent {
        users += 1
        let windows = (try? state.openWindows(of: user, through: until)) ?? []
        days += windows.count { $0.end > since && $0.end <= until }
      }
      return (users, days)
    }
  }
}
