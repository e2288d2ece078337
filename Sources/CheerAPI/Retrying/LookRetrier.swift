internal import Evidence
internal import Foundations
internal import Scheduling

/// Polls with the right token and up to three attempts, as the policy decides.
///
/// After a 401 it gets another token, tries once more within the attempt, and then treats the credentials as expired.
struct LookRetrier: Sendable {
  let client: CheerClient
  let keeper: TokenKeeper
  let clock: any ServiceClock
  private let policy: Lock<RetryPolicy>

  init(client: CheerClient, keeper: TokenKeeper, clock: any ServiceClock, seed: UInt64) {
    self.client = client
    self.keeper = keeper
    self.clock = clock
    policy = Lock(RetryPolicy(seed: seed))
  }

  /// Makes `call`, within the time limit of a poll.
  func look(_ call: CheerCall, url: String) async -> Exchange<Look.Outcome> {
    await LookDeadline.$current.withValue(LookDeadline()) {
      await lookInTime(call, url: url)
    }
  }

  private func lookInTime(_ call: CheerCall, url: String) async -> Exchange<Look.Outcome> {
    var exchange = await attempt(call, url: url)
    // A call refused by a gate is not worth a second try in this sweep.
    guard exchange.wasSent else { return exchange }
    policy.withLock { $0.noteFirstAttempt() }
    var number = 1
    while let cause = exchange.outcome.cause {
      let retryAfter = exchange.retryAfterSeconds
      let decision = policy.withLock {
        $0.decide(after: number, cause: cause, retryAfterSeconds: retryAfter)
      }
      switch decision {
      case .giveUp(let finalCause): return exchange.with(.failed(finalCause))
      case .retry(let seconds):
        guard seconds + LookDeadline.leastSeconds < LookDeadline.secondsLeft(by: clock)
        else { return exchange }
        do { try await clock.sleep(seconds: seconds) } catch { return unsent(.cancelled) }
        number += 1
        client.transport.count { $0.retryCount += 1 }
        let next = await attempt(call, url: url)
        // A real attempt's failure says more than the refusal to send another request.
        if !next.wasSent, next.outcome.cause != .cancelled { return exchange }
        exchange = next
      }
    }
    return exchange
  }

  /// Makes one attempt; a refused token is replaced once.
  private func attempt(_ call: CheerCall, url: String) async -> Exchange<Look.Outcome> {
    switch await keeper.token(for: call.user) {
    case .expired: return unsent(.unauthorized)
    case .failed(let exchange): return exchange
    case .token(let token):
      let first = await client.attempt(call, url: url, token: token)
      guard first.outcome.cause == .unauthorized else { return accepted(first) }
      return await attemptAgain(call, url: url, refused: token, first: first)
    }
  }

  private func attemptAgain(
    _ call: CheerCall, url: String, refused: Secret, first: Exchange<Look.Outcome>
  ) async -> Exchange<Look.Outcome> {
    // A refresh that exceeds the poll's time would delay others that wait for its token.
    if LookDeadline.secondsLeft(by: clock) < LookDeadline.leastSeconds { return first }
    switch await keeper.token(for: call.user, inPlaceOf: refused) {
    case .expired: return first
    case .failed(let exchange): return exchange
    case .token(let token):
      let second = await client.attempt(call, url: url, token: token)
      guard second.outcome.cause == .unauthorized else { return accepted(second) }
      keeper.expire(call.user)
      return second
    }
  }

  private func accepted(_ exchange: Exchange<Look.Outcome>) -> Exchange<Look.Outcome> {
    if exchange.outcome.cause == nil { keeper.noteAccepted() }
    return exchange
  }

  private func unsent(_ cause: FailureCause) -> Exchange<Look.Outcome> {
    .unsent(.failed(cause), at: clock.now())
  }
}
