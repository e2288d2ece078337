/// The reason why a grant waits for a person.
public enum HoldReason: Sendable, Equatable {
  /// With the grant, the day's points would exceed the limit.
  case points(sum: Int64, limit: Int64)
  /// With the grant, the day's exp would exceed the limit.
  case exp(sum: Int64, limit: Int64)
  /// The grant was held back before and has not been released.
  case earlier

  /// The reason in words.
  public var text: String {
    switch self {
    case .points(let sum, let limit):
      "the day's points would be \(sum), above the limit of \(limit)"
    case .exp(let sum, let limit): "the day's exp would be \(sum), above the limit of \(limit)"
    case .earlier: "it was held back before and has not been released"
    }
  }
}
