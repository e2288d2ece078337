import CheerAPI
import Evidence
import HTTPClient
import TestSupport
import Testing

/// The adapter with real sockets.
@Suite(.offThePool) struct EndToEndTests {
  @Test func looksThroughARealConnection() async throws {
    let server = try RawServer { connection in
      while let request = connection.readRequest() {
        let isLive = request.head.hasPrefix("GET /v1/channel/streaming/date/u1 ")
        connection.answer(body: isLive ? #"{"live_start_at":"2026-11-20 21:00:00"}"# : "[]")
      }
    }
    let api = try makeAPI(HTTPClient(), clock: TestClock(), baseURL: server.url + "/v1")
    #expect(
      await api.look(at: .lastStream, user: "u1").outcome
        == .answered([Activity.told(.stream, from: noon(), to: nil)], refused: []))
    #expect(await api.look(at: .watchedStreams, user: "u1").outcome == .nothing)
    #expect(server.connections == 1)
  }

  @Test func aHundredThousandNestedArraysAreABadAnswer() async throws {
    let body = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    let server = try RawServer { connection in
      while connection.readRequest() != nil { connection.answer(body: body) }
    }
    let api = try makeAPI(HTTPClient(), clock: TestClock(), baseURL: server.url)
    #expect(await api.look(at: .watchedStreams, user: "u1").outcome == .failed(.badAnswer))
  }

  @Test func aPostIsNotSentTwiceWhenItsConnectionDies() async throws {
    let server = try RawServer { connection in _ = connection.readRequest() }
    let credentials = CredentialSource.perUser([
      "u1": .login(email: Secret("e"), password: Secret("p"))
    ])
    let client = HTTPClient()
    await #expect(throws: HTTPFailure.self) {
      try await client.send(
        HTTPRequest(.post([1]), url: server.url, usesFreshConnection: true))
    }
    #expect(server.connections == 1)
    let api = try makeAPI(
      client, clock: TestClock(), credentials: credentials, baseURL: server.url)
    #expect(await api.look(at: .lastGift, user: "u1").outcome == .failed(.unreachable))
    #expect(server.connections == 4, "three attempts, each of one login")
  }
}
