import CheerAPI
import CivilTime
import Evidence
import HTTPClient
import TestSupport
import Testing

@Suite(.offThePool) struct LookTests {
  @Test(arguments: [
    (Source.lastStream, "http://api/v1/channel/streaming/date/u.1"),
    (.watchedStreams, "http://api/v1/channel/watch/streaming/u.1"),
    (.lastGift, "http://api/v1/yell/info/get/u.1"),
  ])
  func eachRouteIsAGetWithTheToken(route: Source, url: String) async throws {
    let http = FakeHTTP { _, _ in .success(HTTPResponse(200, "{}")) }
    let api = try makeAPI(http, clock: TestClock(), baseURL: "http://api/v1/")
    #expect(await api.look(at: route, user: "u.1").outcome == .nothing)
    let request = try #require(http.sent.first)
    #expect(http.sent.count == 1)
    #expect(request.url == url)
    #expect(request.header("Authorization") == "Bearer service")
    #expect(request.timeoutSeconds == 10)
    guard case .get = request.method else {
      Issue.record("no GET")
      return
    }
  }

  /// Two routes tell a number: what is none is a bad answer, and "nothing" is not zero.
  @Test(
    arguments: [
      ("{\"NAME\": 7, \"livers\": [{}]}", 7), ("{\"NAME\": \"12\"}", 12), ("{\"NAME\": 0}", 0),
      ("{\"NAME\": null}", nil), ("{}", nil), ("[]", nil), ("null", nil), ("", nil),
      ("{\"NAME\": \"\"}", nil), ("{\"livers\": [1, 2]}", nil),
      ("{\"NAME\": -1}", -1), ("{\"NAME\": 1.5}", -1), ("{\"NAME\": \"1e3\"}", -1),
      ("{\"NAME\": \" 5\"}", -1), ("{\"NAME\": true}", -1), ("{\"NAME\": [5]}", -1),
      ("{\"NAME\": 5, \"NAME\": 6}", -1), ("[5]", -1), ("5", -1), ("{\"NAME\": 5", -1),
      ("{\"NAME\": \"\u{0665}\"}", -1), ("{\"NAME\": 99999999999999999999}", -1),
    ] as [(String, Int64?)])
  func numbers(body: String, number: Int64?) async throws {
    let clock = TestClock(noon())
    let http = FakeHTTP { request, _ in
      clock.advance(seconds: 3)
      let name = request.url.contains("point") ? "amount" : "total_count"
      return .success(HTTPResponse(200, body.replacing("NAME", with: name)))
    }
    let api = try makeAPI(http, clock: clock, baseURL: "http://api/v1/")
    let wanted = { (by: Instant) in
      number == -1 ? Look.Outcome.failed(.badAnswer) : .counted(number, by: by)
    }
    let look = await api.look(at: .follows, user: "u.1")
    #expect(look.at == noon() && look.outcome == wanted(noon().adding(seconds: 3)))
    #expect(await api.coins(of: "u.1") == wanted(noon().adding(seconds: 6)))
    #expect(
      http.sent.map(\.url) == [
        "http://api/v1/liver/follow?user_id=u.1", "http://api/v1/user/point?id=u.1",
      ])
    #expect(api.counters.routes[.follows]?.requestCount == 1)
  }

  @Test func aLookIsDatedWhenTheAnsweredAttemptWasSent() async throws {
    let clock = TestClock(noon())
    let http = FakeHTTP { _, number in
      clock.advance(seconds: 10)
      return number == 0 ? .failure(.timedOut) : .success(HTTPResponse(200, "{}"))
    }
    let api = try makeAPI(http, clock: clock)
    let look = await api.look(at: .lastStream, user: "a")
    #expect(look.outcome == .nothing)
    #expect(look.at >= noon(10) && look.at <= noon(11))
    #expect(clock.now() >= look.at.adding(seconds: 10))
    #expect(clock.workInHand == 0)
  }

  @Test(arguments: [
    (Result<HTTPResponse, HTTPFailure>.failure(.timedOut), FailureCause.timedOut, 3),
    (.failure(.unreachable("x")), .unreachable, 3),
    (.failure(.notHTTP("x")), .badAnswer, 1),
    (.failure(.tooLarge(limitBytes: 1)), .badAnswer, 1),
    (.failure(.tooManyHeaders), .badAnswer, 1),
    (.failure(.invalidURL), .badAnswer, 1),
    (.failure(.invalidHeader("Authorization")), .badAnswer, 1),
    (.failure(.cancelled), .cancelled, 1),
    (.failure(.closed), .cancelled, 1),
    (.success(HTTPResponse(408)), .throttled, 3),
    (.success(HTTPResponse(429)), .throttled, 3),
    (.success(HTTPResponse(500)), .serverError, 3),
    (.success(HTTPResponse(503, "{}")), .serverError, 3),
    (.success(HTTPResponse(599)), .serverError, 3),
    (.success(HTTPResponse(401)), .unauthorized, 2),
    (.success(HTTPResponse(403)), .forbidden, 1),
    (.success(HTTPResponse(404, "{}")), .userUnknown, 1),
    (.success(HTTPResponse(201, "{}")), .badAnswer, 1),
    (.success(HTTPResponse(206, "{}")), .badAnswer, 1),
    (.success(HTTPResponse(301, headers: ["Location: http://evil/"])), .badAnswer, 1),
    (.success(HTTPResponse(304)), .badAnswer, 1),
    (.success(HTTPResponse(400)), .badAnswer, 1),
    (.success(HTTPResponse(200, "<html>")), .badAnswer, 1),
  ])
  func failures(
    answer: Result<HTTPResponse, HTTPFailure>, cause: FailureCause, attempts: Int
  ) async throws {
    let http = FakeHTTP { _, _ in answer }
    let api = try makeAPI(http, clock: TestClock())
    #expect(await api.look(at: .lastStream, user: "a").outcome == .failed(cause))
    #expect(http.sent.count == attempts)
    #expect(api.counters.routes[.lastStream]?.requestCount == attempts)
    #expect(api.counters.routes[.lastStream]?.failureCounts == [cause: attempts])
  }

  @Test(arguments: [
    "", ".", "..", "a/b", "a b", "ü", "a%2Fb", "a?b", String(repeating: "a", count: 65),
  ])
  func aUserWhomNoURLCanNameIsNotAskedAbout(user: String) async throws {
    let http = FakeHTTP { _, _ in .success(HTTPResponse(200, "{}")) }
    let api = try makeAPI(http, clock: TestClock())
    #expect(await api.look(at: .lastStream, user: user).outcome == .failed(.userUnknown))
    #expect(http.sent.isEmpty)
  }

  @Test func statusTwoOhFourIsNothingYet() async throws {
    let http = FakeHTTP { _, _ in .success(HTTPResponse(204)) }
    let api = try makeAPI(http, clock: TestClock())
    #expect(await api.look(at: .watchedStreams, user: "a").outcome == .nothing)
  }

  @Test(arguments: [
    ("ETag: \"v1\"", "If-None-Match", "\"v1\""),
    (
      "Last-Modified: Fri, 20 Nov 2026 12:00:00 GMT", "If-Modified-Since",
      "Fri, 20 Nov 2026 12:00:00 GMT"
    ),
  ])
  func aValidatorIsSentBackAndNotModifiedMeansTheSame(
    header: String, condition: String, value: String
  ) async throws {
    let body = #"{"live_start_at":"2026-11-20 21:00:00"}"#
    let http = FakeHTTP { _, number in
      .success(number == 0 ? HTTPResponse(200, body, headers: [header]) : HTTPResponse(304))
    }
    let api = try makeAPI(http, clock: TestClock())
    let first = await api.look(at: .lastStream, user: "a").outcome
    let second = await api.look(at: .lastStream, user: "a").outcome
    #expect(first == .answered([Activity.told(.stream, from: noon(), to: nil)], refused: []))
    #expect(second == first)
    #expect(http.sent[0].header(condition) == nil)
    #expect(http.sent[1].header(condition) == value)
    #expect(await api.look(at: .lastStream, user: "b").outcome == .failed(.badAnswer))
    #expect(http.sent[2].header(condition) == nil, "validators are one user's")
    #expect(api.counters.unchangedCount == 1)
  }

  @Test func aRefusedAnswerIsNotRemembered() async throws {
    let http = FakeHTTP { _, _ in
      .success(HTTPResponse(200, #"{"live_end_at":"junk"}"#, headers: ["ETag: \"v1\""]))
    }
    let api = try makeAPI(http, clock: TestClock())
    for _ in 0..<2 { _ = await api.look(at: .lastStream, user: "a") }
    #expect(http.sent[1].header("If-None-Match") == nil)
  }

  @Test func aCancelledLookIsCancelled() async throws {
    let http = FakeHTTP { _, _ in .failure(.timedOut) }
    let api = try makeAPI(http, clock: TestClock())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await api.look(at: .lastStream, user: "a")
    }
    #expect(await task.value.outcome == .failed(.cancelled))
    #expect(http.sent.count <= 1)
  }

  @Test func concurrencyIsCapped() async throws {
    let http = SlowHTTP(behind: FakeHTTP { _, _ in .success(HTTPResponse(200, "{}")) })
    let clock = TestClock()
    let api = try makeAPI(http, clock: clock, concurrency: 5)
    await withTaskGroup(of: Void.self) { group in
      for user in 0..<100 {
        group.addTask { _ = await api.look(at: .lastGift, user: "u\(user)") }
      }
    }
    #expect(http.mostAtOnce > 1 && http.mostAtOnce <= 5)
    #expect(clock.workInHand == 0, "lent and returned")
  }

  @Test func theRateHoldsOverAllUsers() async throws {
    let clock = TestClock(noon())
    let http = FakeHTTP { _, _ in .success(HTTPResponse(200, "{}")) }
    let api = try makeAPI(http, clock: clock, requestsPerSecond: 10, concurrency: 1)
    for user in 0..<101 { _ = await api.look(at: .lastGift, user: "u\(user)") }
    let seconds = clock.now().seconds(since: noon())
    #expect(seconds >= 10 && seconds <= 11)
  }
}
