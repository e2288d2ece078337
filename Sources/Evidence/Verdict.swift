/// What is known about one user's mission on one day.
public enum Verdict: UInt8, Sendable {
  case met, notMet, unknown

  /// The name of the verdict in files and output.
  public var name: String {
    switch self {
    case .met: "met"
    case .notMet: "notMet"
    case .unknown: "unknown"
    }
  }
}
