import CivilTime
import LedgerDatabase
import TestSupport
import Testing

/// How long a worker that can serve nothing leaves its part to others.
@Suite(.offThePool) struct WorkerRestTests {
  @Test func eachFailureLastsTwiceAsLongUpToAnHour() {
    var rest = WorkerRest()
    var now = Instant(seconds: 1_793_000_000)
    #expect(rest.isOver(at: now))
    for seconds: Int64 in [60, 120, 240, 480, 960, 1_920, 3_600, 3_600] {
      rest.recordFailure(at: now)
      // What fails meanwhile makes it no longer.
      rest.recordFailure(at: now.adding(seconds: seconds / 2))
      #expect(!rest.isOver(at: now.adding(seconds: seconds - 1)))
      now = now.adding(seconds: seconds)
      #expect(rest.isOver(at: now))
    }
  }

  @Test func whoServesAgainBeginsAnew() {
    var rest = WorkerRest()
    let now = Instant(seconds: 1_793_000_000)
    rest.recordFailure(at: now)
    rest.forget()
    #expect(rest.isOver(at: now))
    rest.recordFailure(at: now)
    #expect(rest.isOver(at: now.adding(seconds: 60)))
  }
}
