public import CivilTime
public import HTTPClient
public import NotificationRelay

extension DeliveryFailure {
  /// The most that is read of a receiver's answer.
  public static let answerLimitBytes = 64 << 10
  private static let longestRetryAfterSeconds: Int64 = 86_400

  /// An answer that is no success and may be another one next time: with the receiver's wish to be left alone, and sink-wide when
  /// it tells of overload, or `isSinkWide` says so. `words` stand behind the status.
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
