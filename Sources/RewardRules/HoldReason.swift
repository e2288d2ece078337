/// Why a grant waits for a person.
public enum HoldReason: Sendable, Equatable {
  /// The day's points, with the grant, would be over the limit.
  case points(sum: Int64, limit: Int64)
  /// The day's exp, with the grant, would be over the limit.
  case exp(sum: Int64, limit: Int64)
  /// It was held back before, and nobody has released it.
  case earlier

  /// The reason in words.
  public var text: String {
    switch self {
    case .points(let sum, let limit): "the day's points would be \(sum), the limit is \(limit)"
    case .exp(let sum, let limit): "the day's exp would be \(sum), the limit is \(limit)"
    case .earlier: "it was held back before and is not released"
    }
  }
}
