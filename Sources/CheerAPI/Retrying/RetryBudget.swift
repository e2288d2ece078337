/// Keeps retries under a tenth of the requests, however bad the weather.
public struct RetryBudget: Sendable {
  /// What a calm can save up.
  private static let limitTenths = 1_000
  /// What a fresh start has, so that a small service may retry at all: ten retries.
  private static let startTenths = 100

  private var tenths = Self.startTenths

  /// A budget with ten retries in hand.
  public init() {}

  /// Notes a first attempt: it earns a tenth of a retry.
  public mutating func earn() { tenths = min(tenths + 1, Self.limitTenths) }

  /// Takes one retry; false when there is none left.
  public mutating func spend() -> Bool {
    guard tenths >= 10 else { return false }
    tenths -= 10
    return true
  }
}
