import Evidence
import RewardRules
import Scheduling

extension JudgeContext {
  /// How days are judged by this configuration; throws ``SecretError``.
  init(
    _ configuration: Configuration, rules: RuleBook, environment: [String: String]
  ) throws {
    let secret = try configuration.drawSecret.resolve(environment: environment)
    self.init(configuration, rules: rules, draws: DrawSecret(secret.bytes))
  }

  /// The same with a secret that was read already.
  init(_ configuration: Configuration, rules: RuleBook, draws: DrawSecret) {
    let looksAtAPI = configuration.api.token != nil || configuration.api.credentials != nil
    self.init(
      rules: rules, draws: draws, lagSeconds: Int64(configuration.api.lagSeconds),
      watched: looksAtAPI ? .all : KindSet(ActivityKind.allCases.filter { $0.source == .inbox }))
  }
}
