public import Configuration
import Engine
import Evidence
import RewardRules
public import Scheduling

extension PollPolicy {
  /// The policy that the configuration asks for.
  public init(_ configuration: Configuration) {
    self.init(
      everySeconds: Int64(configuration.poll.everyMinutes) * 60,
      lastCallSeconds: Int64(configuration.poll.lastCallSeconds),
      firstCallSeconds: Int64(configuration.poll.firstCallSeconds),
      lagSeconds: Int64(configuration.api.lagSeconds),
      // Three routes a user.
      usersPerSecond: Double(configuration.api.requestsPerSecond) / 3)
  }
}

extension EngineTerms {
  /// How days are evaluated by this configuration; throws ``Configuration/SecretError``.
  init(_ configuration: Configuration, variables: [String: String]) throws {
    let secret = try configuration.drawSecret.resolve(environment: variables)
    let looksAtAPI = configuration.api.token != nil || configuration.api.credentials != nil
    self.init(
      draws: DrawSecret(secret.bytes), lagSeconds: Int64(configuration.api.lagSeconds),
      watched: looksAtAPI ? .all : .inbox)
  }
}
