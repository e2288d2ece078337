/// What is known of one mission of one user on one day.
public enum Verdict: UInt8, Sendable {
  case met, notMet, unknown

  /// The word for the verdict in files and output.
  public var name: String {
    switch self {
    case .met: "met"
    case .notMet: "notMet"
    case .unknown: "unknown"
    }
  }
}
