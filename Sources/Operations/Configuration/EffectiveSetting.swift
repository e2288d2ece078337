/// One value of the configuration in force, as text, and who decided it. Secrets show only where they are kept.
public struct EffectiveSetting: Equatable, Sendable {
  /// Who decided a value, from the weakest to the strongest.
  public enum Origin: String, Sendable {
    case `default`, file, environment, flag
  }

  /// The path of the key, as `api.baseURL`.
  public let path: String
  /// The value, as text.
  public let value: String
  /// Who decided it.
  public let origin: Origin
}
