import CheerAPI
import CivilTime
import Evidence
import Foundations
import HTTPClient
import TestSupport
import Testing

@Suite(.offThePool) struct OutageTests {
  /// Polls every user once, all at once, as a sweep does.
  private func sweep(_ api: CheerAPI, users: Int) async -> [Look.Outcome] {
    await withTaskGroup(of: Look.Outcome.self) { group in
      for user in 0..<users {
        group.addTask { await api.look(at: .lastStream, user: "u\(user)").outcome }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test(arguments: [500, 429, 0])
  func whileTheAPIIsDownNobodyPushes(status: Int) async throws {
    let http = FakeHTTP { _, _ in
      status == 0 ? .failure(.timedOut) : .success(HTTPResponse(status))
    }
    let api = try makeAPI(http, clock: TestClock(), requestsPerSecond: 200)
    let outcomes = await sweep(api, users: 10_000)
    #expect(outcomes.allSatisfy { if case .failed = $0 { true } else { false } })
    #expect(http.sent.count <= 11_000)
    #expect(http.sent.count < 1_000, "the breaker keeps most of them back")
    #expect(api.counters.breaker != .closed)
  }

  @Test func retriesStayWithinTheBudgetWhenAQuarterOfTheCallsFails() async throws {
    // Not enough failures in a row for the breaker: the budget alone has to hold.
    let http = FakeHTTP { request, _ in
      let number = Int(request.url.split(separator: "u").last ?? "") ?? 0
      return .success(HTTPResponse(number % 4 == 3 ? 500 : 200, "{}"))
    }
    let api = try makeAPI(http, clock: TestClock(), concurrency: 1)
    var byBudget = 0
    for user in 0..<2_000 {
      if await api.look(at: .lastGift, user: "u\(user)").outcome == .failed(.retryBudget) {
        byBudget += 1
      }
    }
    #expect(api.counters.breaker == .closed)
    #expect(http.sent.count <= 2_000 + 210)
    #expect(api.counters.retryCount == http.sent.count - 2_000)
    #expect(byBudget > 300)
  }

  @Test func nobodyAsksBeforeRetryAfterIsOver() async throws {
    let clock = TestClock(noon())
    let sentAt = Lock<[Instant]>([])
    let http = FakeHTTP { _, _ in
      let now = clock.now()
      sentAt.withLock { $0.append(now) }
      return .success(
        now < noon(20) ? HTTPResponse(429, headers: ["Retry-After: 20"]) : HTTPResponse(200, "{}"))
    }
    let api = try makeAPI(http, clock: clock, concurrency: 1)
    for user in 0..<10 {
      #expect(await api.look(at: .lastStream, user: "u\(user)").outcome == .nothing)
    }
    let early = sentAt.withLock { $0.filter { $0 > noon() && $0 < noon(20) } }
    #expect(early.isEmpty)
    #expect(sentAt.withLock { $0.count } == 11)
  }

  @Test func aLongPauseFailsLooksWithoutAskingUntilItIsOver() async throws {
    let clock = TestClock(noon())
    let http = FakeHTTP { _, number in
      .success(
        number < 3 ? HTTPResponse(503, headers: ["Retry-After: 600"]) : HTTPResponse(200, "{}"))
    }
    let api = try makeAPI(http, clock: clock)
    for user in 0..<50 {
      let cause: FailureCause = user < 3 ? .serverError : .throttled
      #expect(await api.look(at: .lastStream, user: "u\(user)").outcome == .failed(cause))
    }
    #expect(http.sent.count == 3)
    #expect(api.counters.pausedUntil == noon(600))
    clock.advance(seconds: 600)
    #expect(await api.look(at: .lastStream, user: "u0").outcome == .nothing)
    #expect(api.counters.pausedUntil == nil)
  }

  @Test func whatAnotherProcessWasToldHoldsHereToo() async throws {
    let clock = TestClock(noon())
    let http = FakeHTTP { _, _ in .success(HTTPResponse(200, "{}")) }
    let api = try makeAPI(http, clock: clock)
    api.pauseAll(until: noon(600))
    #expect(await api.look(at: .lastStream, user: "u0").outcome == .failed(.throttled))
    #expect(http.sent.isEmpty)
    clock.advance(seconds: 600)
    #expect(await api.look(at: .lastStream, user: "u0").outcome == .nothing)
  }

  @Test func aPoisonedUserSilencesNobodyElse() async throws {
    let http = FakeHTTP { request, _ in
      .success(
        request.url.hasSuffix("/u7")
          ? HTTPResponse(503, headers: ["Retry-After: 3600"]) : HTTPResponse(200, "{}"))
    }
    let api = try makeAPI(http, clock: TestClock())
    for _ in 0..<3 {
      let outcomes = await sweep(api, users: 1_000)
      #expect(outcomes.filter { $0 == .nothing }.count == 999)
    }
    #expect(http.sent.filter { $0.url.hasSuffix("/u7") }.count == 1)
  }

  @Test func afterTheOutageSingleProbesOpenTheWayAgain() async throws {
    let clock = TestClock(noon())
    let isDown = Lock(true)
    let http = FakeHTTP { _, _ in
      .success(HTTPResponse(isDown.withLock { $0 } ? 500 : 200, "{}"))
    }
    let api = try makeAPI(http, clock: clock)
    _ = await sweep(api, users: 100)
    #expect(api.counters.breaker == .open)
    let before = http.sent.count
    #expect(await api.look(at: .lastGift, user: "a").outcome == .failed(.circuitOpen))
    #expect(http.sent.count == before)
    isDown.withLock { $0 = false }
    clock.advance(seconds: 60)
    let outcomes = await sweep(api, users: 100)
    #expect(api.counters.breaker == .closed)
    #expect(outcomes.contains(.nothing))
    let later = await sweep(api, users: 100)
    #expect(later.allSatisfy { $0 == .nothing })
  }

  @Test func statusesThatBlameTheUserDoNotOpenTheBreaker() async throws {
    for status in [401, 403, 404] {
      let http = FakeHTTP { request, _ in
        .success(HTTPResponse(request.url.hasSuffix("u0") ? 200 : status, "{}"))
      }
      let api = try makeAPI(http, clock: TestClock())
      _ = await sweep(api, users: 200)
      #expect(api.counters.breaker == .closed, "\(status)")
    }
  }
}
