internal import Evidence
internal import Scheduling

/// Calls the API with the right token: after a 401 it gets another, tries once more, and then treats the credentials as expired.
struct AuthenticatedTransport: Sendable {
  let client: CheerClient
  let keeper: TokenKeeper
  let clock: any ServiceClock

  /// Makes one attempt at a look.
  func attempt(_ call: CheerCall, url: String) async -> Attempt {
    switch await keeper.token(for: call.user) {
    case .expired: return unsent(.unauthorized)
    case .failed(let exchange, let cause): return failed(exchange, cause)
    case .token(let token):
      let first = await client.attempt(call, url: url, token: token)
      guard first.cause == .unauthorized else { return accepted(first) }
      return await attemptAgain(call, url: url, refused: token, first: first)
    }
  }

  private func attemptAgain(
    _ call: CheerCall, url: String, refused: Secret, first: Attempt
  ) async -> Attempt {
    // A refresh that exceeds the look's time would delay others that wait for its token.
    if LookDeadline.secondsLeft(by: clock) < LookDeadline.leastSeconds { return first }
    switch await keeper.token(for: call.user, inPlaceOf: refused) {
    case .expired: return first
    case .failed(let exchange, let cause): return failed(exchange, cause)
    case .token(let token):
      let second = await client.attempt(call, url: url, token: token)
      guard second.cause == .unauthorized else { return accepted(second) }
      keeper.expire(call.user)
      return second
    }
  }

  private func accepted(_ attempt: Attempt) -> Attempt {
    if attempt.cause == nil { keeper.noteAccepted() }
    return attempt
  }

  private func unsent(_ cause: FailureCause) -> Attempt {
    Attempt(
      look: Look(at: clock.now(), outcome: .failed(cause)), wasSent: false, retryAfterSeconds: nil)
  }

  private func failed(_ exchange: Exchange, _ cause: FailureCause) -> Attempt {
    Attempt(
      look: Look(at: exchange.at, outcome: .failed(cause)), wasSent: exchange.wasSent,
      retryAfterSeconds: exchange.retryAfterSeconds)
  }
}

/// One attempt at a look.
struct Attempt: Sendable {
  /// The observation, or the cause of the failure.
  let look: Look
  /// Whether a request was sent.
  let wasSent: Bool
  /// The delay that the API requested with `Retry-After`.
  let retryAfterSeconds: Int64?

  /// The cause of the failure, or nil.
  var cause: FailureCause? {
    if case .failed(let cause) = look.outcome { return cause }
    return nil
  }
}
