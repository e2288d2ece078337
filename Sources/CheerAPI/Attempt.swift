internal import Evidence

/// One attempt at a look.
struct Attempt: Sendable {
  /// What it saw, or why it could not see.
  let look: Look
  /// Whether a request left.
  let wasSent: Bool
  /// What the API asked for by `Retry-After`.
  let retryAfterSeconds: Int64?

  /// Why it could not see, or nil.
  var cause: FailureCause? {
    if case .failed(let cause) = look.outcome { return cause }
    return nil
  }
}
