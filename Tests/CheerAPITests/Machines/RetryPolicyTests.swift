import CheerAPI
import Evidence
import TestSupport
import Testing

@Suite(.offThePool) struct RetryPolicyTests {
  @Test(arguments: FailureCause.allCases)
  func onlyOutagesAreRetried(cause: FailureCause) {
    var policy = RetryPolicy(seed: 1)
    let isRetried = [.timedOut, .unreachable, .throttled, .serverError].contains(cause)
    let decision = policy.decide(after: 1, cause: cause, retryAfterSeconds: nil)
    if case .retry = decision {
      #expect(isRetried)
    } else {
      #expect(decision == .giveUp(cause))
      #expect(!isRetried)
    }
  }

  @Test func afterTheThirdAttemptItGivesUp() {
    var policy = RetryPolicy(seed: 1)
    #expect(
      policy.decide(after: 3, cause: .timedOut, retryAfterSeconds: nil) == .giveUp(.timedOut))
  }

  @Test func theJitterIsFullAndItsCeilingDoubles() throws {
    for (attempt, ceiling) in [(1, 1.0), (2, 2.0)] {
      let waits = try (0..<1_000).map { seed in
        var policy = RetryPolicy(seed: UInt64(seed))
        return try #require(
          wait(
            policy.decide(
              after: attempt, cause: .serverError, retryAfterSeconds: nil)))
      }
      #expect(waits.allSatisfy { (0...ceiling).contains($0) })
      #expect(waits.contains { $0 < ceiling * 0.05 } && waits.contains { $0 > ceiling * 0.95 })
      #expect(abs(waits.reduce(0, +) / 1_000 - ceiling / 2) < ceiling * 0.05)
    }
  }

  @Test func theSameSeedGivesTheSameWaits() {
    var left = RetryPolicy(seed: 7)
    var right = RetryPolicy(seed: 7)
    for _ in 0..<5 {
      #expect(
        left.decide(after: 1, cause: .timedOut, retryAfterSeconds: nil)
          == right.decide(after: 1, cause: .timedOut, retryAfterSeconds: nil))
    }
  }

  @Test(arguments: [0, 1, 30])
  func retryAfterIsTheLeastWait(seconds: Int64) throws {
    var policy = RetryPolicy(seed: 3)
    let decision = policy.decide(after: 1, cause: .throttled, retryAfterSeconds: seconds)
    let waited = try #require(wait(decision))
    #expect(waited >= Double(seconds) && waited <= Double(seconds) + 1)
  }

  @Test func aLongRetryAfterIsLeftToTheNextSweep() {
    var policy = RetryPolicy(seed: 3)
    #expect(
      policy.decide(after: 1, cause: .throttled, retryAfterSeconds: 31) == .giveUp(.throttled))
  }

  @Test func theBudgetIsATenthOfTheRequestsBesidesTheFirstTen() {
    var policy = RetryPolicy(seed: 5)
    var retries = 0
    for _ in 0..<10_000 {
      policy.noteFirstAttempt()
      for attempt in 1...3 {
        let decision = policy.decide(after: attempt, cause: .serverError, retryAfterSeconds: nil)
        guard case .retry = decision else { break }
        retries += 1
      }
    }
    #expect(retries == 1_010)
    #expect(
      policy.decide(after: 1, cause: .serverError, retryAfterSeconds: nil) == .giveUp(.retryBudget))
  }

  private func wait(_ decision: RetryPolicy.Decision) -> Double? {
    if case .retry(let seconds) = decision { return seconds }
    return nil
  }
}
