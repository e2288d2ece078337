import HTTPServer
import TestSupport
import Testing

/// What a server makes of requests and of a handler's answers, over real sockets.
@Suite(.offThePool) struct HTTPServerTests {
  /// Serves `handler` while `body` runs.
  private func serving(
    limits: ServerLimits = ServerLimits(), _ handler: @escaping HTTPServer.Handler,
    _ body: (ListenAddress) async throws -> Void
  ) async throws {
    let server = try HTTPServer.start(on: .loopback(), limits: limits, handler: handler)
    do {
      try await body(server.address)
    } catch {
      await server.stop(graceSeconds: 0)
      throw error
    }
    await server.stop()
  }

  private static func echo(_ request: ServerRequest) -> ServerAnswer {
    let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
    let answer = "\(request.method) \(request.path) [\(query)] \(request.header("x-Name") ?? "-") "
    return .respond(
      ServerResponse(
        status: 201, headers: [HTTPField("X-Size", String(request.body.count))],
        body: Array(answer.utf8) + request.body))
  }

  @Test(arguments: [
    ("GET", "/a/b", [String](), nil as [UInt8]?, "GET /a/b [] - "),
    ("GET", "/a%20b?x=1&y=%26&z&x=2", [], nil, "GET /a b [x=1,y=&,z=,x=2] - "),
    ("GET", "/", ["X-NAME: v w"], nil, "GET / [] v w "),
    ("GET", "/", [], Array("body of a get".utf8), "GET / [] - body of a get"),
    ("POST", "/p?q=", [], Array("abc".utf8), "POST /p [q=] - abc"),
    ("POST", "/", [], [], "POST / [] - "),
    ("DELETE", "/d", [], nil, "DELETE /d [] - "),
  ])
  func requestsArriveWhole(
    method: String, target: String, headers: [String], body: [UInt8]?, expected: String
  ) async throws {
    try await serving(Self.echo) { address in
      let reply = try await RawClient.exchange(
        address, RawClient.request(method, target, headers: headers, body: body))
      #expect(reply.status == 201)
      #expect(reply.headers["x-size"] == String(body?.count ?? 0))
      #expect(reply.text == expected)
      #expect(reply.isComplete)
    }
  }

  @Test func headIsAnsweredWithoutABody() async throws {
    try await serving(Self.echo) { address in
      let reply = try await RawClient.exchange(address, RawClient.request("HEAD", "/"))
      #expect(reply.status == 201)
      #expect(reply.body.isEmpty)
    }
  }

  @Test func aConnectionCarriesSeveralRequests() async throws {
    try await serving(Self.echo) { address in
      let first = Array("POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi".utf8)
      let reply = try await RawClient.exchange(address, first + RawClient.request("GET", "/2"))
      #expect(reply.text.hasPrefix("POST /1 [] - hiHTTP/1.1 201"))
      #expect(reply.text.hasSuffix("GET /2 [] - "))
    }
  }

  @Test(arguments: [
    (999, 201), (1_000, 201), (1_001, 413), (1_500, 413), (2_000_000, 413),
  ])
  func aDeclaredBodyBeyondTheLimitIsRefused(size: Int, status: Int) async throws {
    try await serving(limits: ServerLimits(bodyBytes: 1_000), Self.echo) { address in
      let request = RawClient.request("POST", "/", body: [UInt8](repeating: 120, count: size))
      let reply = try await RawClient.exchange(address, request)
      #expect(reply.status == status)
    }
  }

  /// 0 stands for a connection that is cut: nobody listens to a body without end.
  @Test(arguments: [(1_000, 201), (1_001, 413), (2_000, 413), (2_001, 0), (5_000_000, 0)])
  func anUndeclaredBodyBeyondTheLimitIsRefused(size: Int, status: Int) async throws {
    try await serving(limits: ServerLimits(bodyBytes: 1_000), Self.echo) { address in
      let head = RawClient.request("POST", "/", headers: ["Transfer-Encoding: chunked"])
      let chunk = Array("\(String(size, radix: 16))\r\n".utf8)
      let body = [UInt8](repeating: 120, count: size) + Array("\r\n0\r\n\r\n".utf8)
      let reply = try await RawClient.exchange(address, head + chunk + body)
      #expect(reply.status == status)
    }
  }

  @Test func largeBodiesPassBothWays() async throws {
    let body = (0..<8 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let handler: HTTPServer.Handler = { .respond(ServerResponse(status: 200, body: $0.body)) }
    try await serving(handler) { address in
      let reply = try await RawClient.exchange(
        address, RawClient.request("POST", "/", body: body))
      #expect(reply.body == body)
    }
  }

  @Test func connectionsBeyondTheLimitWaitTheirTurn() async throws {
    try await serving(limits: ServerLimits(connections: 3), Self.echo) { address in
      let statuses = try await withThrowingTaskGroup { group in
        for _ in 0..<40 { group.addTask { try await RawClient.get(address, "/").status } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses == Array(repeating: 201, count: 40))
    }
  }

  @Test func aConnectionThatSaysNothingMoreIsClosed() async throws {
    try await serving(limits: ServerLimits(idleTimeoutSeconds: 1), Self.echo) { address in
      let reply = try await RawClient.exchange(
        address, Array("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf".utf8))
      #expect(![200, 201].contains(reply.status))
    }
  }

  @Test func headersWithoutEndAreRefused() async throws {
    try await serving(Self.echo) { address in
      let endless = Array("GET / HTTP/1.1\r\n".utf8) + [UInt8](repeating: 120, count: 1 << 20)
      let reply = try await RawClient.exchange(address, endless)
      #expect([0, 400, 431].contains(reply.status))
    }
  }

  @Test func cutClosesWithoutAByte() async throws {
    let handler: HTTPServer.Handler = { _ in .cut }
    try await serving(handler) { address in
      let reply = try await RawClient.get(address, "/")
      #expect(reply.status == 0)
      #expect(reply.headers.isEmpty)
    }
  }

  @Test(arguments: [0, 1, 5_000, 9_999])
  func truncatedBodiesBreakOff(sentBytes: Int) async throws {
    let response = ServerResponse(status: 200, body: [UInt8](repeating: 65, count: 10_000))
    let handler: HTTPServer.Handler = { _ in .truncate(response, sentBytes: sentBytes) }
    try await serving(handler) { address in
      let reply = try await RawClient.get(address, "/")
      #expect(reply.status == 200)
      #expect(reply.headers["content-length"] == "10000")
      #expect(reply.body.count == sentBytes)
      #expect(!reply.isComplete)
    }
  }

  @Test func anAnswerMayComeFromATask() async throws {
    let handler: HTTPServer.Handler = { request in
      .later { .delay(seconds: 0.001, .later { Self.echo(request) }) }
    }
    try await serving(handler) { address in
      let reply = try await RawClient.exchange(
        address, RawClient.request("POST", "/x", body: Array("abc".utf8)))
      #expect(reply.text == "POST /x [] - abc")
    }
  }

  @Test func delayedAnswersComeWhenTheyShall() async throws {
    let handler: HTTPServer.Handler = { _ in .delay(seconds: 0.05, .respond(.text("slow"))) }
    try await serving(handler) { address in
      let clock = ContinuousClock()
      let begin = clock.now
      let reply = try await RawClient.get(address, "/")
      #expect(reply.text == "slow")
      #expect(clock.now - begin >= .milliseconds(50))
    }
  }

  @Test func delayedAnswersHoldUpNobody() async throws {
    let slow = ServerAnswer.delay(seconds: 3_600, .respond(.text("slow")))
    let server = try HTTPServer.start(on: .loopback()) { request in
      request.path == "/slow" ? slow : .respond(.text("fast"))
    }
    let address = server.address
    try await withThrowingTaskGroup { group in
      for _ in 0..<40 { group.addTask { try await RawClient.get(address, "/slow").status } }
      for _ in 0..<40 {
        let text = try await RawClient.get(address, "/fast").text
        #expect(text == "fast")
      }
      await server.stop(graceSeconds: 0)
      // Those that came too late for the stop found nobody.
      while let status = try? await group.next() { #expect(status == 0) }
    }
  }
}
