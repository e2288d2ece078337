public import CivilTime
public import HTTPClient

extension DeliveryFailure {
  /// The maximum number of bytes read from a receiver's answer.
  public static let answerLimitBytes = 64 << 10
  private static let longestRetryAfterSeconds: Int64 = 86_400

  /// Creates the failure for an unsuccessful but retryable answer, with the pause that the receiver requests. It is sink-wide if
  /// the answer reports overload, or if `isSinkWide` is true. `words` follow the status.
  public init(
    answer response: HTTPResponse, _ words: String = "", now: Instant, isSinkWide: Bool = false
  ) {
    let status = response.status
    let asked = response.headers["Retry-After"].flatMap {
      RetryAfter.delaySeconds($0, now: now, cap: Self.longestRetryAfterSeconds)
    }
    self.init(
      "HTTP \(status)\(words)", status: status, retryAfterSeconds: asked,
      isSinkWide: isSinkWide || status >= 500 || status == 429 || status == 408)
  }
}
