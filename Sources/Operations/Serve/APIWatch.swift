import CivilTime
import Configuration
import Evidence
import Foundations
import Ledger
import Scheduling

/// Logs and announces what API answers reveal: users who cannot be judged, and the beginning and end of outages.
struct APIWatch: Sendable {
  let runtime: Runtime
  let health: ServiceHealth
  let troubles: Troubles

  /// Notes the outcome of a round of polls. The service polls those of `users` accounts that are present.
  func report(_ round: Poller.Round, users: Int) async {
    let log = runtime.environment.log
    for (user, problem) in round.problems where health.isNews(problem, about: .user(user)) {
      log.error("a user is not judged", ["user": .text(user), "cause": .text(problem)])
    }
    switch health.noteLooks(round, at: runtime.clock.now(), users: users) {
    case .outage(let reason):
      log.error("\(reason); days stay unknown", ["users": .number(users)])
      troubles.begin(.outage, since: health.state.looks.blindSince, reason: reason)
    case .end(let seconds):
      log.warning("the API answers again", ["seconds": .number(Int(clamping: seconds))])
    case nil: break
    }
    await settle(round)
    if round.failures[.unauthorized] != nil, health.isNews("unauthorized", about: .credentials) {
      log.error(
        "the API refuses the credentials; days stay unknown until you renew them and send SIGHUP"
      )
    }
  }

  /// Updates the troubles from a visit: whether the API answers again, and whether it accepts the credentials.
  private func settle(_ round: Poller.Round) async {
    let failures = round.failures.values.reduce(0, +)
    if round.failures[.unauthorized] != nil {
      troubles.begin(
        .credentials, reason: "the API refuses the credentials; renew them and send SIGHUP")
    } else if failures < round.looks, runtime.configuration.api.credentials == nil {
      // With a token for each user, one user's success says nothing about another's.
      troubles.end(.credentials)
    }
    guard failures < round.looks, let since = troubles.since(.outage) else { return }
    let hidden = await hiddenDays(since: since, until: runtime.clock.now())
    troubles.end(.outage, hiding: hidden)
  }

  /// Returns the number of users, and of their days that ended during an outage and may stay unknown.
  private func hiddenDays(since: Instant, until: Instant) async -> (users: Int, days: Int) {
    await runtime.writer.scan { state in
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
