import CivilTime
import Evidence
import Foundations
import HTTPServer
import TestSupport
import Testing

@testable import Sandbox

/// The API that a person steers: a line added is something done.
@Suite(.offThePool) struct WorldAPITests {
  private static let stream = "/api/v1/channel/streaming/date/ben"
  private static let watched = "/api/v1/channel/watch/streaming/ben"
  private static let gift = "/api/v1/yell/info/get/ben"

  private let said = Lock<[WorldAPI.Message]>([])

  /// The status and body of an answer by a world with these lines.
  private func answer(
    _ target: String, _ lines: String, token: String = "t", method: String = "GET",
    body: String = "", access: WorldAPI.Access = .token("t")
  ) throws -> (status: Int, body: String) {
    let place = try TemporaryFolder()
    let file = try place.write("world.jsonl", lines)
    let api = WorldAPI(file, access) { message in said.withLock { $0.append(message) } }
    let request = ServerRequest(
      method: method, path: target, headers: [HTTPField("Authorization", "Bearer \(token)")],
      body: Array(body.utf8))
    guard case .respond(let response) = api.answer(request) else { return (0, "") }
    return (response.status, String(decoding: response.body, as: UTF8.self))
  }

  @Test func linesAreWhatHappened() throws {
    let world = """
      // a remark
      {"user":"ben","kind":"stream","at":"2026-03-02T19:00:00+01:00","until":"2026-03-02T20:30:00+01:00"}

      {"user":"ben","kind":"watch","at":"2026-03-02T18:00:00Z"}
      {"user":"ben","kind":"watch","at":"2026-03-01T18:00:00Z","until":"2026-03-01T18:01:00Z"}
      {"user":"ben","kind":"gift","at":"2026-03-02T18:05:00Z"}
      {"user":4711,"kind":"gift","at":"2026-03-03T18:05:00Z"}
      """
    #expect(
      try answer(Self.stream, world).body
        == #"{"live_start_at":"2026-03-02T18:00:00Z","live_end_at":"2026-03-02T19:30:00Z"}"#)
    #expect(
      try answer(Self.watched, world).body
        == #"[{"subscribe_start_at":"2026-03-01T18:00:00Z","subscribe_end_at":"2026-03-01T18:01:00Z"},{"subscribe_start_at":"2026-03-02T18:00:00Z","subscribe_end_at":null}]"#
    )
    #expect(try answer(Self.gift, world).body.contains(#""created_at":"2026-03-02T18:05:00Z""#))
    #expect(try answer("/api/v1/yell/info/get/4711", world).body.contains("2026-03-03T18:05:00Z"))
    #expect(try answer("/api/v1/yell/info/get/carla", world).body == "{}")
    #expect(try answer(Self.gift, world, token: "other").status == 401)
    #expect(try answer("/api/v1/liver/login", world, method: "POST").status == 404)
    #expect(said.withLock { $0 }.isEmpty)
  }

  @Test(arguments: [
    ("nonsense", "line 2: "),
    (#"{"user":"ben","kind":"gift"}"#, #"line 2: "at": is missing"#),
    (
      #"{"user":"ben","kind":"login","at":"2026-03-02T18:00:00Z"}"#,
      "hand it in with rewards ingest"
    ),
    (
      #"{"user":"ben","kind":"dance","at":"2026-03-02T18:00:00Z"}"#,
      "expected one of stream, watch, gift"
    ),
    (#"{"user":"ben","kind":"gift","at":"2026-03-02 18:00"}"#, #"line 2: "at": "#),
    (
      #"{"user":"ben","kind":"gift","at":"2026-03-02T18:00:00Z","until":"2026-03-02T18:00:00Z"}"#,
      "a gift has no end"
    ),
    (
      #"{"user":"ben","kind":"stream","at":"2026-03-02T18:00:00Z","until":"2026-03-02T17:00:00Z"}"#,
      #"comes before "at""#
    ),
    (#"{"user":"ben","kind":"gift","at":"2026-03-02T18:00:00Z","to":1}"#, "unknown key"),
  ])
  func aBadLineIsNamed(line: String, what: String) throws {
    let (status, body) = try answer(Self.gift, "\n\(line)\n")
    #expect(status == 503 && body.contains(what), "\(body)")
    guard case .objection(let cause) = said.withLock({ $0.first }) else {
      Issue.record("no objection")
      return
    }
    #expect(cause.contains("world.jsonl, line 2: ") && cause.contains(what))
  }

  /// Each user needs a token of their own, which route 100 gives for an e-mail and its password.
  @Test func usersLogIn() throws {
    let access = WorldAPI.Access.perUser(["ben": "b"], logins: [["ben@x", "p"]: "b"])
    let login = "/api/v1/liver/login"
    for (password, status) in [("p", 200), ("q", 401)] {
      let body = #"{"email":"ben@x","password":"\#(password)"}"#
      let found = try answer(login, "", method: "POST", body: body, access: access)
      #expect(found.status == status && found.body.contains(#"{"token":"b"}"#) == (status == 200))
    }
    for (token, target, status) in [
      ("b", Self.gift, 200), ("c", Self.gift, 401), ("b", "/api/v1/yell/info/get/carla", 401),
    ] {
      #expect(try answer(target, "", token: token, access: access).status == status, "\(token)")
    }
  }

  @Test func eventsAreReceived() throws {
    let event = #"{"id":"ben/2026-03-02/gift","type":"x"}"#
    #expect(try answer("/events", "", method: "POST", body: event).status == 200)
    #expect(try answer("/events", "", method: "POST", body: "{}").status == 404)
    #expect(said.withLock { $0 } == [.event(event)])
  }
}
