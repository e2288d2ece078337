import Foundations
import HTTPServer
import TestSupport
import Testing

/// What a server does about clients that owe it something.
@Suite(.offThePool) struct ServerLimitsTests {
  /// A server that takes bodies of up to 9 bytes at `/body` and none elsewhere; it answers with the body.
  private func serving(
    _ limits: ServerLimits, _ body: (ListenAddress) async throws -> Void
  ) async throws {
    let server = try HTTPServer.start(
      on: .loopback(), limits: limits,
      gate: { head in
        switch head.path {
        case "/body": .takeBody(limitBytes: 9)
        case "/forbidden": .refuse(.text("no", status: 403))
        default: .takeBody(limitBytes: 0)
        }
      }, handler: { .respond(ServerResponse(status: 200, body: $0.body)) })
    do {
      try await body(server.address)
    } catch {
      await server.stop(graceSeconds: 0)
      throw error
    }
    await server.stop(graceSeconds: 0)
  }

  @Test(arguments: [
    ("/body", 9, 200), ("/body", 10, 413), ("/other", 0, 200), ("/other", 1, 413),
    ("/forbidden", 0, 403), ("/forbidden", 5_000_000, 403),
  ])
  func aBodyIsTakenOnlyWhereThereIsOne(path: String, size: Int, status: Int) async throws {
    try await serving(ServerLimits()) { address in
      let request = RawClient.request("POST", path, body: [UInt8](repeating: 120, count: size))
      let reply = try await RawClient.exchange(address, request)
      #expect(reply.status == status)
    }
  }

  /// Whoever sends a short body at once reads why it is refused, and can go on.
  @Test func aShortBodyIsLetByBeforeTheRefusal() async throws {
    try await serving(ServerLimits()) { address in
      let refused = Array(
        "POST /forbidden HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n12345".utf8)
      let reply = try await RawClient.exchange(
        address, refused + RawClient.request("GET", "/other"))
      #expect(reply.status == 403)
      #expect(reply.text.hasPrefix("noHTTP/1.1 200"), "\(reply.text)")
    }
  }

  /// The head alone: whoever waited for the body would wait for ever.
  @Test func aRefusalComesBeforeTheBody() async throws {
    try await serving(ServerLimits()) { address in
      let head = Array("POST /forbidden HTTP/1.1\r\nHost: x\r\nContent-Length: 80000\r\n\r\n".utf8)
      let reply = try await RawClient.exchange(address, head)
      #expect(reply.status == 403)
    }
  }

  @Test func bodiesThatWouldNotFitTogetherAreRefused() async throws {
    try await serving(ServerLimits(bodiesBytes: 12, idleTimeoutSeconds: 600)) { address in
      let begun = Array("POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf".utf8)
      let unfinished = try RawConnection(address)
      try unfinished.send(begun)
      // The first is known to be there once a second one is refused for it.
      let full = RawClient.request("POST", "/body", body: Array("123456789".utf8))
      #expect(
        try await eventually { try await RawClient.exchange(address, full).status == 503 })
      #expect(
        try await RawClient.exchange(address, RawClient.request("POST", "/body", body: [1])).status
          == 200)
      unfinished.close()
      #expect(
        try await eventually { try await RawClient.exchange(address, full).status == 200 })
    }
  }

  @Test func whoOwesTheirRequestForLongestMakesRoom() async throws {
    let limits = ServerLimits(connections: 8, spareConnections: 4, idleTimeoutSeconds: 600)
    try await serving(limits) { address in
      let idle = try (0..<40).map { _ in try RawConnection(address) }
      let status = try await RawClient.get(address, "/").status
      #expect(status == 200)
      // The newest of them have a place still.
      #expect(idle[0].isClosedByPeer())
      for connection in idle { connection.close() }
    }
  }

  @Test func aRequestThatDripsHasADeadline() async throws {
    let limits = ServerLimits(idleTimeoutSeconds: 600, requestSeconds: 1)
    try await serving(limits) { address in
      let slow = try RawConnection(address)
      try slow.send(Array("GET / HTTP/1.1\r\nHost: x\r\nX-".utf8))
      #expect(slow.isClosedByPeer())
      slow.close()
    }
  }

  @Test func aLocalSocketTellsWhoIsThere() async throws {
    let folder = try TemporaryFolder()
    let seen = Lock<[UInt32?]>([])
    for address in [ListenAddress.unixSocket(path: "\(folder.path)/s"), .loopback()] {
      let server = try HTTPServer.start(on: address) { request in
        seen.withLock { $0.append(request.peerUser) }
        return .respond(.text("seen"))
      }
      let status = try await RawClient.get(server.address, "/").status
      await server.stop()
      #expect(status == 200)
    }
    #expect(seen.withLock { $0 } == [RawConnection.ownUser, nil])
  }
}
