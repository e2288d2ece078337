import CivilTime
import Evidence
import Foundations
import HTTPServer
import Sandbox
import StrictJSON
import TestSupport
import Testing

/// Whether the simulated API tells the truth, in all the ways in which the real one does.
@Suite(.offThePool) struct SimulatedAPITests {
  static let life = LifeModel(
    seed: 11, userCount: 60, firstDay: Day(year: 2026, month: 3, day: 20)!, dayCount: 14)
  static let start = Instant(seconds: Int64(life.firstDay.number) * 86_400)
  static let routes: [(route: ServedRoute, path: String)] = [
    (.lastStream, "/api/v1/channel/streaming/date/"),
    (.watchedStreams, "/api/v1/channel/watch/streaming/"), (.lastGift, "/api/v1/yell/info/get/"),
  ]

  static func get(_ target: String, token: String = "sandbox-token") -> ServerRequest {
    ServerRequest(
      method: "GET", path: target, headers: [HTTPField("authorization", "Bearer \(token)")])
  }

  /// What the app knows of a life at an instant, told anew from the true history.
  static func expected(
    _ user: SimulatedUser, _ kind: ActivityKind, at known: Instant
  ) -> [Activity] {
    let begun = life.activities(of: user, kind).filter { $0.from <= known }.map { activity in
      Activity.told(kind, from: activity.from, to: activity.to <= known ? activity.to : nil)
    }
    return Array(kind == .watch ? begun.suffix(50) : begun.suffix(1))
      .sorted { ($0.from, $0.to) < ($1.from, $1.to) }
  }

  @Test func answersEqualTheTruthAtManyTimes() throws {
    let clock = VirtualClock(at: Self.start, until: Self.start)
    let api = SimulatedAPI(life: Self.life, clock: clock)
    var bodies: Set<[UInt8]> = []
    var random = SplitMix64(seed: 5)
    for _ in 0..<100 {
      // Back and forth: the answer depends on the time alone.
      clock.step(bySeconds: random.number(in: -80_000...90_000))
      let known = clock.now().adding(seconds: -10)
      for user in Self.life.users {
        for (route, path) in Self.routes {
          let response = try #require(api.answer(Self.get(path + user.id)).response)
          let told = try AnswerReading.activities(response.body)
          #expect(told == Self.expected(user, route.kind!, at: known))
          #expect(response.status == (response.body.isEmpty ? response.status : 200))
          bodies.insert(response.body)
        }
      }
    }
    #expect(bodies.count > 1_000)
    #expect(api.counts.requests == 100 * 60 * 3)
  }

  @Test func answersChangeAtTheVerySecond() throws {
    let clock = VirtualClock(at: Self.start, until: Self.start)
    let api = SimulatedAPI(life: Self.life, clock: clock)
    for user in Self.life.users.prefix(20) {
      for (route, path) in Self.routes {
        for activity in Self.life.activities(of: user, route.kind!) {
          for instant in [activity.from, activity.to] {
            for offset in [-1, 0, 1] as [Int64] {
              let known = instant.adding(seconds: offset)
              clock.step(bySeconds: known.adding(seconds: 10).seconds(since: clock.now()))
              let response = try #require(api.answer(Self.get(path + user.id)).response)
              let told = try AnswerReading.activities(response.body)
              #expect(told == Self.expected(user, route.kind!, at: known))
            }
          }
        }
      }
    }
  }

  @Test func allShapesOccur() throws {
    let clock = VirtualClock(at: Self.start, until: Self.start)
    let api = SimulatedAPI(life: Self.life, clock: clock)
    var texts: [String] = []
    var statuses: Set<Int> = []
    for _ in 0..<40 {
      clock.step(bySeconds: 20_000)
      for user in Self.life.users {
        for (_, path) in Self.routes {
          let response = try #require(api.answer(Self.get(path + user.id)).response)
          statuses.insert(response.status)
          texts.append(String(decoding: response.body, as: UTF8.self))
        }
      }
    }
    let joined = texts.joined(separator: "\n")
    #expect(statuses == [200, 204])
    for nothing in ["", "null", "{}", "[]", #"{"live_start_at":null,"live_end_at":null}"#] {
      #expect(texts.contains(nothing))
    }
    for part in [
      #""live_end_at":null}"#, #""gift_id":""#, #""gift_id":1"#, #""status":"1""#, ".000000\"",
      ":00Z\"", ".000Z\"", ".000000000000000000Z\"", "+09:00\"", "-03:30\"", "+05:45\"",
    ] {
      #expect(joined.contains(part))
    }
    #expect(texts.contains { $0.contains("live_start_at") && !$0.contains("live_end_at") })
    #expect(texts.contains { $0.contains("created_at") && !$0.contains("gift_id") })
    #expect(joined.contains { $0 == " " })
  }

  @Test func servesOverASocketWhatItAnswers() async throws {
    let clock = VirtualClock(at: Self.start.adding(seconds: 500_000), until: Self.start)
    let api = SimulatedAPI(life: Self.life, clock: clock)
    let server = try api.start()
    #expect(SimulatedAPI.baseURL(of: server) == "http://127.0.0.1:\(server.port)/api/v1")
    for user in Self.life.users.prefix(20) {
      for (_, path) in Self.routes {
        let reply = try await RawClient.get(
          server.address, path + user.id, headers: ["Authorization: Bearer sandbox-token"])
        let response = try #require(api.answer(Self.get(path + user.id)).response)
        #expect(reply.status == response.status)
        #expect(reply.body == response.body)
      }
    }
    await server.stop()
  }

  @Test(arguments: [
    ("/api/v1/channel/streaming/date/u999999", 404), ("/api/v1/channel/streaming/date/", 404),
    ("/api/v1/channel/streaming/date/u100000/", 404), ("/api/v1/nothing", 404), ("/", 404),
    ("/api/v2/yell/info/get/u100000", 404), ("/api/v1/yell/info/get/u100000", 200),
  ])
  func unknownUsersAndRoutesAreNotFound(path: String, status: Int) throws {
    let clock = VirtualClock(at: Self.start.adding(seconds: 1_000_000))
    let api = SimulatedAPI(life: Self.life, clock: clock)
    let response = try #require(api.answer(Self.get(path)).response)
    #expect(response.status == status)
  }

  @Test func tokensRunOutUntilTheNextLogin() throws {
    let clock = VirtualClock(at: Self.start, until: Self.start)
    let api = SimulatedAPI(
      life: Self.life, clock: clock,
      options: SimulatedAPIOptions(tokenLifetimeSeconds: 3_600))
    let path = Self.routes[0].path + "u100000"
    func status(_ token: String) -> Int? {
      api.answer(Self.get(path, token: token)).response?.status
    }
    func logIn(_ body: String) throws -> JSONNode {
      let request = ServerRequest(
        method: "POST", path: "/api/v1/liver/login", body: Array(body.utf8))
      return try Self.node(api.answer(request).response)
    }
    #expect([200, 204].contains(status("sandbox-token")))
    #expect(status("other") == 401)
    #expect(status("sandbox-toke") == 401)
    clock.step(bySeconds: 3_600)
    #expect(status("sandbox-token") == 401)
    #expect(try logIn(#"{"email":"a@b.example","password":"wrong"}"#)["token"]?.string == nil)
    #expect(try logIn("nonsense")["token"]?.string == nil)
    let answer = try logIn(#"{"email":"a@b.example","password":"sandbox-password"}"#)
    let token = try #require(answer["token"]?.string)
    #expect([200, 204].contains(status(token)))
    #expect(status("sandbox-token") == 401)
    api.revokeTokens()
    #expect(status(token) == 401)
    #expect(api.counts.byRoute[.login] == 3)
  }

  private struct Unanswered: Error {}

  private static func node(_ response: ServerResponse?) throws -> JSONNode {
    guard let response else { throw Unanswered() }
    return try JSONNode.parse(response.body)
  }

  @Test func pointsAndFollowsAnswer() throws {
    let clock = VirtualClock(at: Self.start.adding(seconds: 1_000_000))
    let api = SimulatedAPI(life: Self.life, clock: clock)
    let user = Self.life.users[0]
    func ask(_ path: String, _ name: String) throws -> JSONNode {
      let request = ServerRequest(
        method: "GET", path: path, query: [HTTPField(name, user.id)],
        headers: [HTTPField("Authorization", "Bearer sandbox-token")])
      return try Self.node(api.answer(request).response)
    }
    #expect(Int(try ask("/api/v1/user/point", "id")["amount"]?.string ?? "") != nil)
    let known = clock.now().adding(seconds: -10)
    let follows = Self.life.activities(of: user, .follow).filter { $0.from <= known }
    #expect(try ask("/api/v1/liver/follow", "user_id")["total_count"]?.int == Int64(follows.count))
  }
}
