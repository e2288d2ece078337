import CivilTime
import HTTPClient
import TestSupport
import Testing

@testable import CheerAPI

@Suite(.offThePool) struct CircuitBreakerTests {
  private let start = Instant(seconds: 1_000_000)

  private func opened(at now: Instant) -> CircuitBreaker {
    var breaker = CircuitBreaker(.api)
    for _ in 0..<20 { breaker.report(.bad, wasProbe: false, at: now) }
    return breaker
  }

  @Test(arguments: [
    (0, 19, CircuitBreaker.State.closed),
    (0, 20, .open),
    (10, 10, .closed),
    (9, 11, .open),
    (64, 32, .closed),
    (64, 33, .open),
    (1_000, 32, .closed),
  ])
  func itOpensWhenMoreThanHalfOfTheLastCallsFailed(
    good: Int, bad: Int, state: CircuitBreaker.State
  ) {
    var breaker = CircuitBreaker(.api)
    for _ in 0..<good { breaker.report(.good, wasProbe: false, at: start) }
    for _ in 0..<bad { breaker.report(.bad, wasProbe: false, at: start) }
    #expect(breaker.state == state)
  }

  @Test func openItRefusesForItsPauseAndThenProbesOneByOne() {
    var breaker = opened(at: start)
    #expect(breaker.admit(at: start) == .refused)
    #expect(breaker.admit(at: start.adding(seconds: 4)) == .refused)
    let later = start.adding(seconds: 5)
    for _ in 0..<3 {
      #expect(breaker.admit(at: later) == .probe)
      #expect(breaker.admit(at: later) == .refused, "one probe at a time")
      breaker.report(.good, wasProbe: true, at: later)
    }
    #expect(breaker.state == .closed)
    #expect(breaker.admit(at: later) == .go)
  }

  @Test func eachFailedProbeDoublesThePauseUpToAMinute() {
    var breaker = opened(at: start)
    var now = start
    for pause in [5, 10, 20, 40, 60, 60] as [Int64] {
      #expect(breaker.admit(at: now.adding(seconds: pause - 1)) == .refused)
      now = now.adding(seconds: pause)
      #expect(breaker.admit(at: now) == .probe)
      breaker.report(.bad, wasProbe: true, at: now)
      #expect(breaker.state == .open)
    }
  }

  @Test func aBadProbeForgetsTheGoodOnesBeforeIt() {
    var breaker = opened(at: start)
    var now = start.adding(seconds: 5)
    for report in [CircuitBreaker.Report.good, .good, .bad] {
      #expect(breaker.admit(at: now) == .probe)
      breaker.report(report, wasProbe: true, at: now)
    }
    now = now.adding(seconds: 10)
    for _ in 0..<2 {
      #expect(breaker.admit(at: now) == .probe)
      breaker.report(.good, wasProbe: true, at: now)
    }
    #expect(breaker.state == .probing)
  }

  @Test func aProbeThatWasGivenUpLetsTheNextOneGo() {
    var breaker = opened(at: start)
    let now = start.adding(seconds: 5)
    #expect(breaker.admit(at: now) == .probe)
    breaker.report(.nothing, wasProbe: true, at: now)
    #expect(breaker.admit(at: now) == .probe)
  }

  @Test func lateReportsOfEarlierCallsChangeNothing() {
    var breaker = opened(at: start)
    breaker.report(.good, wasProbe: false, at: start)
    #expect(breaker.state == .open)
    let now = start.adding(seconds: 5)
    #expect(breaker.admit(at: now) == .probe)
    breaker.report(.bad, wasProbe: false, at: now)
    #expect(breaker.state == .probing)
  }

  @Test func aClockThatRanBackLetsAProbeTell() {
    var breaker = opened(at: start)
    #expect(breaker.admit(at: start.adding(seconds: -3_600)) == .probe)
  }
}
