internal import Evidence
internal import Foundations
internal import Scheduling

/// Looks with up to three attempts, as the policy decides.
struct LookRetrier: Sendable {
  let authenticated: AuthenticatedTransport
  let transport: RateLimitedTransport
  let clock: any ServiceClock
  private let policy: Lock<RetryPolicy>

  init(
    authenticated: AuthenticatedTransport, transport: RateLimitedTransport, clock: any ServiceClock,
    seed: UInt64
  ) {
    self.authenticated = authenticated
    self.transport = transport
    self.clock = clock
    policy = Lock(RetryPolicy(seed: seed))
  }

  /// Makes `call`, within the time limit of a look.
  func look(_ call: CheerCall, url: String) async -> Look {
    await LookDeadline.$current.withValue(LookDeadline()) {
      await lookInTime(call, url: url)
    }
  }

  private func lookInTime(_ call: CheerCall, url: String) async -> Look {
    var attempt = await authenticated.attempt(call, url: url)
    // A call refused by a gate is not worth a second try in this sweep.
    guard attempt.wasSent else { return attempt.look }
    policy.withLock { $0.noteFirstAttempt() }
    var number = 1
    while let cause = attempt.cause {
      let retryAfter = attempt.retryAfterSeconds
      let decision = policy.withLock {
        $0.decide(after: number, cause: cause, retryAfterSeconds: retryAfter)
      }
      switch decision {
      case .giveUp(let finalCause): return Look(at: attempt.look.at, outcome: .failed(finalCause))
      case .retry(let seconds):
        guard seconds + LookDeadline.leastSeconds < LookDeadline.secondsLeft(by: clock)
        else {
          return Look(at: attempt.look.at, outcome: .failed(cause))
        }
        do { try await clock.sleep(seconds: seconds) } catch {
          return Look(at: clock.now(), outcome: .failed(.cancelled))
        }
        number += 1
        transport.count { $0.retryCount += 1 }
        let next = await authenticated.attempt(call, url: url)
        // A real attempt's failure says more than the refusal to send another request.
        if !next.wasSent, next.cause != .cancelled { return attempt.look }
        attempt = next
      }
    }
    return attempt.look
  }
}
