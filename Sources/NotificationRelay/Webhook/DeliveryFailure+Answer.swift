package import CivilTime
package import HTTPClient

extension DeliveryFailure {
  /// The maximum number of bytes read from a receiver's answer.
  package static let answerLimitBytes = 64 << 10

  /// Creates the failure for an unsuccessful but retryable answer, with the pause that the receiver requests. It is sink-wide if
  /// the answer reports overload, or if `isSinkWide` is true. `words` follow the status.
  package init(
    answer response: HTTPResponse, _ words: String = "", now: Instant, isSinkWide: Bool = false
  ) {
    let status = response.status
    self.init(
      "HTTP \(status)\(words)", status: status,
      retryAfterSeconds: response.retryAfterSeconds(now: now, cap: Self.longestRetryAfterSeconds),
      isSinkWide: isSinkWide || response.isOutage || status > 599)
  }
}
