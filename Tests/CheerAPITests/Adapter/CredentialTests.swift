import CheerAPI
import Evidence
import Foundation
import Foundations
import HTTPClient
import TestSupport
import Testing

@Suite(.offThePool) struct CredentialTests {
  private static let login = CredentialSource.perUser([
    "a": .login(email: Secret("a@x.example"), password: Secret("pa\"ss")),
    "b": .token(Secret("b-token")),
  ])

  private static func isLogin(_ request: HTTPRequest) -> Bool {
    request.url.hasSuffix("/liver/login")
  }

  /// An API that gives out `t1`, `t2`, … and accepts what `accepts` says.
  private static func tokenServer(
    accepts: @escaping @Sendable (String) -> Bool
  ) -> FakeHTTP {
    let logins = Lock(0)
    return FakeHTTP { request, _ in
      if isLogin(request) {
        let number = logins.withLock {
          $0 += 1
          return $0
        }
        return .success(
          HTTPResponse(200, #"{"token":"t\#(number)","success":true,"user_id":null}"#))
      }
      let isAccepted = accepts(request.header("Authorization") ?? "")
      return .success(HTTPResponse(isAccepted ? 200 : 401, "{}"))
    }
  }

  @Test func eMailAndPasswordAreTradedForATokenOnce() async throws {
    let http = Self.tokenServer { $0 == "Bearer t1" }
    let api = try makeAPI(http, clock: TestClock(), credentials: Self.login)
    for route in Source.routes { #expect(await api.look(at: route, user: "a").outcome == .nothing) }
    #expect(http.sent.filter(Self.isLogin).count == 1)
    let login = try #require(http.sent.first)
    guard case .post(let body) = login.method else {
      Issue.record("no POST")
      return
    }
    #expect(login.usesFreshConnection)
    #expect(login.header("Authorization") == nil)
    let fields = try JSONDecoder().decode([String: String].self, from: Data(body))
    #expect(fields == ["email": "a@x.example", "password": "pa\"ss"])
  }

  @Test func aRefusedTokenIsRenewedOnceAndTheQuestionAskedAgain() async throws {
    let accepted = Lock("Bearer t1")
    let http = Self.tokenServer { token in accepted.withLock { $0 == token } }
    let api = try makeAPI(http, clock: TestClock(), credentials: Self.login)
    #expect(await api.look(at: .lastStream, user: "a").outcome == .nothing)
    accepted.withLock { $0 = "Bearer t2" }
    #expect(await api.look(at: .lastStream, user: "a").outcome == .nothing)
    #expect(http.sent.count == 5)
    #expect(http.sent.filter(Self.isLogin).count == 2)
    #expect(api.counters.expiredCount == 0)
  }

  @Test func refusedTwiceTheCredentialsAreSpentUntilReloaded() async throws {
    let http = Self.tokenServer { _ in false }
    let clock = TestClock()
    let api = try makeAPI(http, clock: clock, credentials: Self.login)
    #expect(await api.look(at: .lastStream, user: "a").outcome == .failed(.unauthorized))
    #expect(http.sent.count == 4, "login, 401, login, 401")
    for _ in 0..<5 {
      #expect(await api.look(at: .lastGift, user: "a").outcome == .failed(.unauthorized))
    }
    #expect(http.sent.count == 4)
    #expect(api.counters.expiredCount == 1)
    api.reload(Self.login)
    _ = await api.look(at: .lastStream, user: "a")
    #expect(http.sent.count == 8)
    // The second chance does not wait for a time that a clock which was days ahead has named.
    clock.advance(seconds: -3 * 86_400)
    _ = await api.look(at: .lastStream, user: "a")
    #expect(http.sent.count == 12)
  }

  @Test func aTokenWithoutALoginIsTriedOnceMore() async throws {
    let http = FakeHTTP { _, number in .success(HTTPResponse(number == 0 ? 401 : 200, "{}")) }
    let api = try makeAPI(http, clock: TestClock(), credentials: Self.login)
    #expect(await api.look(at: .lastStream, user: "b").outcome == .nothing)
    #expect(http.sent.map { $0.header("Authorization") } == ["Bearer b-token", "Bearer b-token"])
  }

  @Test func aUserWithoutACredentialIsNotAskedAbout() async throws {
    let http = FakeHTTP { _, _ in .success(HTTPResponse(200, "{}")) }
    let api = try makeAPI(http, clock: TestClock(), credentials: Self.login)
    #expect(await api.look(at: .lastStream, user: "c").outcome == .failed(.noCredential))
    #expect(api.hasCredential(for: "a") && !api.hasCredential(for: "c"))
    #expect(http.sent.isEmpty)
  }

  /// The API is asked for its own id; credentials go by the ledger's.
  @Test func anotherIdOfTheAPIIsAskedFor() async throws {
    let http = FakeHTTP { _, _ in .success(HTTPResponse(200, "{}", headers: ["ETag: \"1\""])) }
    let api = try makeAPI(http, clock: TestClock(), credentials: Self.login)
    #expect(api.canName("b", isPseudonym: false) && !api.canName("b", isPseudonym: true))
    for id in ["17", "17", "18"] {
      api.setAPIUsers(["b": id])
      #expect(api.canName("b", isPseudonym: true))
      _ = await api.look(at: .lastGift, user: "b")
    }
    #expect(http.sent.map { $0.url.split(separator: "/").last } == ["17", "17", "18"])
    // What the API said of one id says nothing of another.
    #expect(http.sent.map { $0.header("If-None-Match") } == [nil, "\"1\"", nil])
    #expect(Set(http.sent.map { $0.header("Authorization") }) == ["Bearer b-token"])
    api.forget("b")
    #expect(!api.canName("b", isPseudonym: true))
  }

  @Test func manyQuestionsAtOnceLogInOnce() async throws {
    let http = Self.tokenServer { $0 == "Bearer t1" }
    let clock = TestClock()
    let api = try makeAPI(SlowHTTP(behind: http), clock: clock, credentials: Self.login)
    await withTaskGroup(of: Look.Outcome.self) { group in
      for number in 0..<60 {
        group.addTask { await api.look(at: Source.routes[number % 3], user: "a").outcome }
      }
      for await outcome in group { #expect(outcome == .nothing) }
    }
    #expect(clock.workInHand == 0, "lent and returned")
    #expect(http.sent.filter(Self.isLogin).count == 1)
  }

  @Test func whenTheOneWhoLogsInIsCancelledAnotherDoesIt() async throws {
    let http = Self.tokenServer { $0.hasPrefix("Bearer t") }
    let clock = TestClock()
    let api = try makeAPI(SlowHTTP(behind: http), clock: clock, credentials: Self.login)
    for _ in 0..<20 {
      api.reload(.perUser([:]))
      api.reload(Self.login)
      let looks = (0..<5).map { _ in Task { await api.look(at: .lastGift, user: "a").outcome } }
      await Task.yield()
      looks[0].cancel()
      for look in looks[1...] { #expect(await look.value == .nothing) }
      let first = await looks[0].value
      #expect(first == .nothing || first == .failed(.cancelled))
    }
    #expect(clock.workInHand == 0)
  }

  @Test func aReloadDuringALoginLosesNobody() async throws {
    let http = Self.tokenServer { $0.hasPrefix("Bearer t") }
    let clock = TestClock()
    let api = try makeAPI(SlowHTTP(behind: http), clock: clock, credentials: Self.login)
    for _ in 0..<20 {
      let looks = (0..<5).map { _ in Task { await api.look(at: .lastGift, user: "a").outcome } }
      await Task.yield()
      api.reload(.perUser([:]))
      api.reload(Self.login)
      for look in looks {
        // Whoever asks just between the two has no credential.
        let outcome = await look.value
        #expect(outcome == .nothing || outcome == .failed(.noCredential))
      }
      #expect(await api.look(at: .lastGift, user: "a").outcome == .nothing)
    }
    #expect(clock.workInHand == 0)
  }

  @Test(arguments: [
    (401, "", FailureCause.unauthorized), (403, "", .unauthorized), (422, "{}", .unauthorized),
    (200, #"{"success":false,"token":"t1"}"#, .unauthorized),
    (200, #"{"token":null,"success":null}"#, .unauthorized),
    (200, #"{"token":""}"#, .unauthorized), (200, #"{"token":7}"#, .unauthorized),
  ])
  func aRejectedLoginSpendsTheCredentials(status: Int, body: String, cause: FailureCause)
    async throws
  {
    let http = FakeHTTP { _, _ in .success(HTTPResponse(status, body)) }
    let api = try makeAPI(http, clock: TestClock(), credentials: Self.login)
    for _ in 0..<3 { #expect(await api.look(at: .lastStream, user: "a").outcome == .failed(cause)) }
    #expect(http.sent.count == 1)
  }

  @Test(arguments: [
    (500, "", FailureCause.serverError, 6), (429, "", .throttled, 6),
    (200, "<html>", .badAnswer, 2), (200, "", .badAnswer, 2), (200, "[]", .badAnswer, 2),
    (404, "", .badAnswer, 2),
  ])
  func aLoginThatCouldNotBeMadeIsTriedAgain(
    status: Int, body: String, cause: FailureCause, logins: Int
  ) async throws {
    let http = FakeHTTP { _, _ in .success(HTTPResponse(status, body)) }
    let api = try makeAPI(http, clock: TestClock(), credentials: Self.login)
    for _ in 0..<2 { #expect(await api.look(at: .lastStream, user: "a").outcome == .failed(cause)) }
    #expect(http.sent.count == logins)
    #expect(api.counters.login.requestCount == logins)
  }

  @Test func oneUserWhoIsAlwaysRefusedDoesNotSpendTheServiceToken() async throws {
    let http = FakeHTTP { request, _ in
      .success(HTTPResponse(request.url.hasSuffix("/bad") ? 401 : 200, "{}"))
    }
    let api = try makeAPI(http, clock: TestClock())
    for user in 0..<50 {
      #expect(await api.look(at: .lastStream, user: "bad").outcome == .failed(.unauthorized))
      #expect(await api.look(at: .lastStream, user: "u\(user)").outcome == .nothing)
    }
    #expect(http.sent.count == 52)
  }

  @Test func refusedForEverybodyTheServiceTokenIsSpent() async throws {
    let http = FakeHTTP { _, _ in .success(HTTPResponse(401)) }
    let api = try makeAPI(http, clock: TestClock())
    for user in 0..<1_000 {
      #expect(await api.look(at: .lastStream, user: "u\(user)").outcome == .failed(.unauthorized))
    }
    #expect(http.sent.count == 6)
    api.reload(.serviceToken(Secret("new")))
    _ = await api.look(at: .lastStream, user: "u1")
    #expect(http.sent.last?.header("Authorization") == "Bearer new")
  }

  /// A token is rotated where it is kept: the first refusal has it read again, and nobody's day is lost for it.
  @Test func aRefusedServiceTokenIsReadAgain() async throws {
    let http = FakeHTTP { request, _ in
      .success(HTTPResponse(request.header("Authorization") == "Bearer new" ? 200 : 401, "{}"))
    }
    let api = try makeAPI(http, clock: TestClock(), serviceToken: { Secret("new") })
    for user in 0..<3 {
      #expect(await api.look(at: .lastStream, user: "u\(user)").outcome == .nothing)
    }
    #expect(http.sent.count == 4)
    #expect(api.counters.expiredCount == 0)
  }
}
