import Foundation
import HTTPClient
import TestSupport
import Testing

@Suite(.offThePool) struct HTTPClientTests {
  @Test func aGetBringsStatusHeadersAndBody() async throws {
    let server = try RawServer { connection in
      guard let request = connection.readRequest() else { return }
      connection.answer(
        203, headers: ["X-Echo:  some value \t", "Retry-After: 7"], body: request.head)
    }
    let client = HTTPClient()
    let response = try await client.send(
      HTTPRequest(url: server.url + "/a/../b", headers: [HTTPHeader("Authorization", "Bearer t")]))
    #expect(response.status == 203)
    #expect(response.headers["x-echo"] == "some value")
    #expect(response.headers["RETRY-AFTER"] == "7")
    #expect(response.headers["missing"] == nil)
    let head = String(decoding: response.body, as: UTF8.self)
    #expect(head.hasPrefix("GET /a/../b HTTP/1.1\r\n"), "the path is sent as it stands")
    #expect(head.contains("Authorization: Bearer t"))
    #expect(!head.lowercased().contains("accept-encoding"))
  }

  @Test(arguments: ["", "{\"a\":1}", String(repeating: "x", count: 3 << 20)])
  func aPostCarriesItsBody(body: String) async throws {
    let server = try RawServer { connection in
      guard let request = connection.readRequest() else { return }
      connection.answer(body: "\(request.head.prefix(5))\(request.body.count)")
    }
    let client = HTTPClient()
    let response = try await client.send(HTTPRequest(.post(Array(body.utf8)), url: server.url))
    #expect(String(decoding: response.body, as: UTF8.self) == "POST \(body.utf8.count)")
  }

  @Test func aGetAfterAPostOnTheSameHandleIsAGet() async throws {
    let server = try RawServer { connection in
      while let request = connection.readRequest() { connection.answer(body: request.head) }
    }
    let client = HTTPClient(concurrentTransfers: 1)
    _ = try await client.send(
      HTTPRequest(.post([1, 2]), url: server.url, headers: [HTTPHeader("X-Old", "1")]))
    let response = try await client.send(HTTPRequest(url: server.url))
    let head = String(decoding: response.body, as: UTF8.self)
    #expect(head.hasPrefix("GET / HTTP/1.1"))
    #expect(!head.contains("X-Old") && !head.lowercased().contains("content-length"))
  }

  @Test func connectionsAreKeptAndFreshOnesAreNot() async throws {
    let server = try RawServer { connection in
      while connection.readRequest() != nil { connection.answer() }
    }
    let client = HTTPClient()
    for _ in 0..<5 { _ = try await client.send(HTTPRequest(url: server.url)) }
    #expect(server.connections == 1)
    for _ in 0..<3 {
      _ = try await client.send(
        HTTPRequest(.post([]), url: server.url, usesFreshConnection: true))
    }
    #expect(server.connections == 4)
  }

  @Test func manyRequestsShareFewConnections() async throws {
    let server = try RawServer { connection in
      while let request = connection.readRequest() {
        connection.answer(body: request.head.components(separatedBy: "\r\n")[0])
      }
    }
    let client = HTTPClient(concurrentTransfers: 4)
    let wrong = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<500 {
        group.addTask {
          let response = try? await client.send(HTTPRequest(url: server.url + "/\(number)"))
          return response?.body != Array("GET /\(number) HTTP/1.1".utf8)
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(wrong == 0)
    #expect(server.connections <= 4)
  }

  @Test func aUnixSocketTakesThePlaceOfTheHost() async throws {
    let path = NSTemporaryDirectory() + "rewards-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
    defer { unlink(path) }
    let server = try RawServer(unixSocketPath: path) { connection in
      if connection.readRequest() != nil { connection.answer(body: "here") }
    }
    let client = HTTPClient()
    let response = try await client.send(
      HTTPRequest(url: "http://control/x", unixSocketPath: path))
    #expect(response.body == Array("here".utf8))
    #expect(server.connections == 1)
  }

  @Test func aRedirectIsAnAnswer() async throws {
    let server = try RawServer { connection in
      while connection.readRequest() != nil {
        connection.answer(302, headers: ["Location: /elsewhere"])
      }
    }
    let response = try await HTTPClient().send(HTTPRequest(url: server.url))
    #expect(response.status == 302)
  }

  @Test(arguments: [
    "", "ftp://127.0.0.1/", "file:///etc/passwd", "127.0.0.1", "http://", "http://a b/",
    "http://user:pass@127.0.0.1/", "https:///",
  ])
  func aBadURLIsRefused(url: String) async throws {
    let client = HTTPClient()
    await #expect(throws: HTTPFailure.invalidURL) { try await client.send(HTTPRequest(url: url)) }
  }

  @Test(arguments: [("X", "a\r\nY: b"), ("X", "a\nb"), ("X\u{0}", "a"), ("", "a"), ("A B", "c")])
  func aHeaderOfTwoLinesIsRefused(name: String, value: String) async throws {
    let client = HTTPClient()
    let request = HTTPRequest(url: "http://127.0.0.1:1/", headers: [HTTPHeader(name, value)])
    await #expect(throws: HTTPFailure.invalidHeader(name)) { try await client.send(request) }
  }

  @Test func nobodyListening() async throws {
    let dead = try deadPort()
    let client = HTTPClient()
    await #expect {
      try await client.send(HTTPRequest(url: "http://127.0.0.1:\(dead)/"))
    } throws: { error in
      if case .unreachable(let detail) = error as? HTTPFailure { return detail.contains("connect") }
      return false
    }
  }

  @Test func cancellingEndsTheTransferAndClosesItsConnection() async throws {
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let (closings, closed) = AsyncStream.makeStream(of: Void.self)
    let server = try RawServer { connection in
      _ = connection.readRequest()
      arrived.yield()
      connection.waitForClose()
      closed.yield()
    }
    let client = HTTPClient()
    let url = server.url
    let task = Task { try await client.send(HTTPRequest(url: url, timeoutSeconds: 60)) }
    for await _ in arrivals { break }
    task.cancel()
    await #expect(throws: HTTPFailure.cancelled) { try await task.value }
    for await _ in closings { break }
    #expect(server.connections == 1)
  }

  @Test func aCancelledTaskSendsNothing() async throws {
    let server = try RawServer { $0.waitForClose() }
    let client = HTTPClient()
    let url = server.url
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await client.send(HTTPRequest(url: url))
    }
    await #expect(throws: HTTPFailure.cancelled) { try await task.value }
    #expect(server.connections == 0)
  }

  @Test func closingFailsWhatIsUnderWayAndWhatComesLater() async throws {
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let server = try RawServer { connection in
      _ = connection.readRequest()
      arrived.yield()
      connection.waitForClose()
    }
    let client = HTTPClient(concurrentTransfers: 1)
    let url = server.url
    let running = Task { try await client.send(HTTPRequest(url: url, timeoutSeconds: 60)) }
    for await _ in arrivals { break }
    let waiting = Task { try await client.send(HTTPRequest(url: url, timeoutSeconds: 60)) }
    client.close()
    await #expect(throws: HTTPFailure.closed) { try await running.value }
    await #expect(throws: HTTPFailure.closed) { try await waiting.value }
    await #expect(throws: HTTPFailure.closed) { try await client.send(HTTPRequest(url: url)) }
  }
}

/// A loopback port on which nobody listens: one that was just given back.
func deadPort() throws -> UInt16 {
  let server = try RawServer { _ in }
  return server.port
}
