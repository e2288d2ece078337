import Foundation
import HTTPClient
import TestSupport
import Testing

/// What a server may do to us instead of answering.
@Suite(.offThePool) struct HostileServerTests {
  private func failure(
    timeoutSeconds: Double = 60, _ script: @escaping RawServer.Script
  ) async throws -> HTTPFailure? {
    let server = try RawServer(script: script)
    let client = HTTPClient()
    do {
      _ = try await client.send(HTTPRequest(url: server.url, timeoutSeconds: timeoutSeconds))
      return nil
    } catch {
      return error
    }
  }

  @Test func aBodyOfAGibibyteIsGivenUpAtItsLimit() async throws {
    let (sent, sending) = AsyncStream.makeStream(of: Int.self)
    let failure = try await failure { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
      let chunk = [UInt8](repeating: 65, count: 1 << 20)
      let mebibytes = (0..<1_024).first { _ in !connection.send(chunk) }
      sending.yield(mebibytes ?? 1_024)
    }
    #expect(failure == .tooLarge(limitBytes: 1 << 20))
    for await mebibytes in sent {
      #expect(mebibytes < 32, "what is not in the sockets' buffers was never taken")
      break
    }
  }

  @Test func anEndlessChunkedBodyIsGivenUpAtItsLimit() async throws {
    let failure = try await failure { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = Array("1000\r\n".utf8) + [UInt8](repeating: 65, count: 4_096) + [13, 10]
      while connection.send(chunk) {}
    }
    #expect(failure == .tooLarge(limitBytes: 1 << 20))
  }

  @Test func aBodyOfExactlyTheLimitIsTaken() async throws {
    let failure = try await failure { connection in
      _ = connection.readRequest()
      connection.answer(body: String(repeating: "x", count: 1 << 20))
    }
    #expect(failure == nil)
  }

  @Test func aDripIsGivenUpInTime() async throws {
    let failure = try await failure(timeoutSeconds: 0.5) { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
      while connection.send([65]) { usleep(100_000) }
    }
    #expect(failure == .timedOut)
  }

  @Test func silenceIsGivenUpInTime() async throws {
    let failure = try await failure(timeoutSeconds: 0.2) { $0.waitForClose() }
    #expect(failure == .timedOut)
  }

  @Test func aStallIsGivenUpBeforeTheTimeout() async throws {
    let server = try RawServer { $0.waitForClose() }
    let client = HTTPClient()
    await #expect(throws: HTTPFailure.timedOut) {
      try await client.send(
        HTTPRequest(url: server.url, timeoutSeconds: 600, stallSeconds: 1))
    }
    #expect(server.connections == 1)
  }

  @Test func tooManyHeaderLines() async throws {
    let failure = try await failure { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\n")
      while connection.send("X-Flood: 1\r\n") {}
    }
    #expect(failure == .tooManyHeaders)
  }

  @Test func interimAnswersWithoutEnd() async throws {
    let failure = try await failure { connection in
      _ = connection.readRequest()
      while connection.send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n") {}
    }
    #expect(failure == .tooManyHeaders)
  }

  @Test func aHeaderLineWithoutEnd() async throws {
    let failure = try await failure { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nX-Long: ")
      while connection.send([UInt8](repeating: 65, count: 4_096)) {}
    }
    #expect(failure == .tooManyHeaders)
  }

  @Test func compressedBytesStayAsTheyCame() async throws {
    let server = try RawServer { connection in
      _ = connection.readRequest()
      connection.answer(headers: ["Content-Encoding: gzip"], body: "\u{1F}not unpacked")
    }
    let response = try await HTTPClient().send(HTTPRequest(url: server.url))
    #expect(response.body == Array("\u{1F}not unpacked".utf8))
  }

  @Test(arguments: [
    "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\nabc",
  ])
  func aCutConnectionIsUnreachable(torn: String) async throws {
    let failure = try await failure { connection in
      _ = connection.readRequest()
      connection.send(torn)
    }
    guard case .unreachable = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test func anAnswerCutAnywhereIsNoAnswer() async throws {
    let whole = Array(
      "HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 12\r\n\r\n{\"a\":[1,22]}".utf8)
    let server = try RawServer { connection in
      guard let request = connection.readRequest() else { return }
      let length = Int(request.head.split(separator: " ")[1].dropFirst()) ?? 0
      connection.send(Array(whole[..<length]))
    }
    let client = HTTPClient()
    for length in 0..<whole.count {
      let response = try? await client.send(HTTPRequest(url: server.url + "/\(length)"))
      #expect(response == nil, "cut after \(length) bytes")
    }
    let response = try await client.send(HTTPRequest(url: server.url + "/\(whole.count)"))
    #expect(response.body.count == 12)
  }

  @Test func randomlyDamagedAnswersNeverHang() async throws {
    let seed: UInt64 = 0x5EED_0007
    let whole = Array(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n".utf8)
    let server = try RawServer { connection in
      guard let request = connection.readRequest() else { return }
      let round = UInt64(request.head.split(separator: " ")[1].dropFirst()) ?? 0
      var random = SeededRandom(seed: seed &+ round)
      var bytes = whole
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
          in: 0 ... .max, using: &random)
      }
      connection.send(bytes)
    }
    let client = HTTPClient()
    var ended = 0
    for round in 0..<500 {
      do {
        _ = try await client.send(HTTPRequest(url: server.url + "/\(round)", timeoutSeconds: 60))
        ended += 1
      } catch {
        #expect(error != .timedOut, "seed \(seed), round \(round)")
        ended += 1
      }
    }
    #expect(ended == 500)
  }

  @Test(arguments: [
    "garbage\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n", "HTTP/1.1 xyz\r\n\r\n",
    "SSH-2.0-OpenSSH_9.2\r\n",
  ])
  func aGarbageStatusLineIsNotHTTP(line: String) async throws {
    let failure = try await failure { connection in
      _ = connection.readRequest()
      connection.send(line)
    }
    guard case .notHTTP = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test func othersAreServedMeanwhile() async throws {
    let server = try RawServer { connection in
      while let request = connection.readRequest() {
        if request.head.hasPrefix("GET /bad") { return connection.waitForClose() }
        connection.answer(body: "fine")
      }
    }
    let client = HTTPClient()
    let url = server.url
    let bad = Task {
      try await client.send(HTTPRequest(url: url + "/bad", timeoutSeconds: 300, stallSeconds: 0))
    }
    for _ in 0..<50 {
      let response = try await client.send(HTTPRequest(url: url + "/good"))
      #expect(response.status == 200)
    }
    bad.cancel()
    await #expect(throws: HTTPFailure.cancelled) { try await bad.value }
  }
}
