import Engine
import Evidence
import RewardRules

extension EngineTerms {
  /// How days are evaluated by this configuration; throws ``SecretError``.
  init(_ configuration: Configuration, variables: [String: String]) throws {
    let secret = try configuration.drawSecret.resolve(environment: variables)
    let looksAtAPI = configuration.api.token != nil || configuration.api.credentials != nil
    self.init(
      draws: DrawSecret(secret.bytes), lagSeconds: Int64(configuration.api.lagSeconds),
      watched: looksAtAPI ? .all : KindSet(ActivityKind.allCases.filter { $0.source == .inbox }))
  }
}
