package import Configuration
import Engine
import Evidence
import Ledger
import RewardRules
package import Scheduling

extension PollPolicy {
  package init(_ configuration: Configuration) {
    self.init(
      everySeconds: Int64(configuration.poll.everyMinutes) * 60,
      lastCallSeconds: Int64(configuration.poll.lastCallSeconds),
      firstCallSeconds: Int64(configuration.poll.firstCallSeconds),
      lagSeconds: Int64(configuration.api.lagSeconds),
      usersPerSecond: configuration.requestsPerSecond
        / Double(configuration.api.countsFollows ? Source.polled.count : Source.routes.count))
    let minutes = configuration.atRisk.minutesBefore
    if minutes > 0 { warningSeconds = Int64(minutes) * 60 }
  }
}

extension LookPlanner {
  package init(_ configuration: Configuration) {
    self.init(PollPolicy(configuration), plan: configuration.poll.byHabits ? .habits : .interval)
  }
}

extension WarningPolicy {
  /// The time that an API answer may take to become a line of the ledger, in seconds.
  private static let answerSeconds: Int64 = 30

  /// Creates the configured policy; nil when no one is to be warned.
  init?(_ configuration: Configuration) {
    let polls = PollPolicy(configuration)
    guard polls.warningSeconds != nil else { return nil }
    self.init(
      polls: polls, leastLength: Int32(clamping: configuration.atRisk.length),
      unknown: configuration.atRisk.warnsUnknown ? .warn : .wait,
      settleSeconds: Self.answerSeconds + Int64(configuration.inbox.everySeconds))
  }
}

extension Configuration {
  /// Everyone who may hand in inbox lines: the hand first.
  var inboxSources: [InboxSource] { [.hand] + sources.map(\.terms) }
}

extension EngineTerms {
  /// Creates the configured terms; throws ``Configuration/SecretError``.
  init(_ configuration: Configuration, variables: [String: String]) throws {
    let secret = try configuration.resolveDrawSecret(environment: variables)
    let looksAtAPI = configuration.api.hasCredentials
    self.init(
      draws: DrawSecret(secret.bytes), lagSeconds: Int64(configuration.api.lagSeconds),
      watched: looksAtAPI ? .all : .inbox,
      countsFollows: looksAtAPI && configuration.api.countsFollows,
      // The next plan of polls may be as far away as the poll itself.
      firstPollSeconds: 2 * 60 * Int64(configuration.poll.everyMinutes))
  }
}
