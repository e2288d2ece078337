import Foundations
import HTTPClient
import Operations
import TestSupport
import Testing

/// Who gets which answer at the addresses of a service.
@Suite(.offThePool) struct StrangerTests {
  private let client = HTTPClient(concurrentTransfers: 4)

  /// Status of requests without and with the token, and with another.
  private func statuses(_ path: String, _ access: AdminServer.Access) async throws -> [Int] {
    let admin = try AdminServer.start(
      host: "127.0.0.1", port: 0, access: access, answers: AdminServer.Answers { "starting" })
    var statuses: [Int] = []
    for given in [nil, "Bearer the token", "Bearer the tokem", "Bearer ", "the token"] {
      let headers = given.map { [HTTPHeader("Authorization", $0)] } ?? []
      let request = HTTPRequest(
        .get, url: "http://127.0.0.1:\(admin.port)\(path)", headers: headers, timeoutSeconds: 60)
      statuses.append(try await client.send(request).status)
    }
    await admin.stop()
    return statuses
  }

  @Test func whereGuardedATokenIsNeeded() async throws {
    let token = AdminServer.Access.token(Array("the token".utf8))
    #expect(try await statuses("/healthz", .everyone) == [200, 200, 200, 200, 200])
    #expect(try await statuses("/healthz", token) == [200, 200, 200, 200, 200])
    #expect(try await statuses("/readyz", .everyone) == [503, 503, 503, 503, 503])
    #expect(try await statuses("/readyz", token) == [401, 503, 401, 401, 401])
    #expect(try await statuses("/readyz", .token(nil)) == [401, 401, 401, 401, 401])
    #expect(try await statuses("/none", token) == [401, 404, 401, 401, 401])
    #expect(try await statuses("/metrics", .everyone) == [200, 200, 200, 200, 200])
    #expect(try await statuses("/metrics", token) == [401, 200, 401, 401, 401])
    #expect(try await statuses("/v1/users/ann", token) == [401, 404, 401, 401, 401])
  }

  /// What users have is not for every account of this machine, where there is a token.
  @Test func balancesTakeTheTokenWhereThereIsOne() async throws {
    for (token, expected) in [(nil, [404, 404]), ("the token", [401, 404])] {
      let admin = try AdminServer.start(
        host: "127.0.0.1", port: 0, token: token.map { Array($0.utf8) },
        answers: AdminServer.Answers { nil })
      var statuses: [Int] = []
      for headers in [[], [HTTPHeader("Authorization", "Bearer the token")]] {
        statuses.append(
          try await client.send(
            HTTPRequest(url: "http://127.0.0.1:\(admin.port)/v1/users/ann", headers: headers)
          ).status)
      }
      await admin.stop()
      #expect(statuses == expected)
    }
  }

  /// Whoever sends activities decides what users get: the token is needed from this machine too.
  @Test(arguments: [AdminServer.Access.everyone, .token(Array("the token".utf8))])
  func activitiesTakeTheTokenWhereverTheyComeFrom(access: AdminServer.Access) async throws {
    let taken = Lock<[(body: [UInt8], source: String?)]>([])
    var answers = AdminServer.Answers { nil }
    answers.activity = { body, source in
      taken.withLock { $0.append((body, source)) }
      return body.count < 9
        ? .success("http-1.jsonl") : .failure(AdminRefusal(cause: "the disk is full"))
    }
    let admin = try AdminServer.start(
      host: "127.0.0.1", port: 0, access: access, token: Array("the token".utf8),
      sources: [("shop", Array("the shop's".utf8))], answers: answers)
    func post(_ count: Int, _ token: String?) async throws -> HTTPResponse {
      let headers = token.map { [HTTPHeader("Authorization", "Bearer \($0)")] } ?? []
      return try await client.send(
        HTTPRequest(
          .post(Array(repeating: 120, count: count)),
          url: "http://127.0.0.1:\(admin.port)/v1/activity", headers: headers, timeoutSeconds: 60))
    }
    #expect(try await post(3, nil).status == 401)
    #expect(try await post(3, "another").status == 401)
    let answer = try await post(3, "the token")
    #expect(answer.status == 202)
    let text = String(decoding: answer.body, as: UTF8.self)
    #expect(text == "{\"file\":\"http-1.jsonl\",\"bytes\":3}\n")
    let refused = try await post(9, "the token")
    #expect(refused.status == 503)
    #expect(refused.headers["Retry-After"] == "30")
    #expect(try await post((1 << 20) + 1, "the token").status == 413)
    #expect(try await post(5, "the shop's").status == 202)
    #expect(taken.withLock { $0.map(\.body.count) } == [3, 9, 5])
    #expect(taken.withLock { $0.map(\.source) } == [nil, nil, "shop"])
    // The token of a source opens nothing else.
    let asked = try await client.send(
      HTTPRequest(
        url: "http://127.0.0.1:\(admin.port)/v1/users/ann",
        headers: [HTTPHeader("Authorization", "Bearer the shop's")]))
    #expect(asked.status == 401)
    await admin.stop()
    // Where no token is configured, nobody may.
    let closed = try AdminServer.start(
      host: "127.0.0.1", port: 0, answers: answers)
    let status = try await client.send(
      HTTPRequest(
        .post([120]), url: "http://127.0.0.1:\(closed.port)/v1/activity", timeoutSeconds: 60)
    ).status
    #expect(status == 401)
    await closed.stop()
  }

  @Test func theControlSocketTellsWhoAsks() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/control.sock"
    let seen = Lock<[UInt32?]>([])
    let control = try ControlServer.start(at: path) { request, user in
      seen.withLock { $0.append(user) }
      return CommandResult(exitCode: 0, output: request, errors: [])
    }
    let answer = try await ControlClient.send(Array("ab".utf8), to: path)
    #expect(answer?.output == Array("ab".utf8))
    #expect(
      seen.withLock { $0.compactMap { $0 } }.map(CallingAccount.name) == [CallingAccount.own])
    // More than what a service takes at once.
    let large = [UInt8](repeating: 120, count: 25 << 20)
    await #expect(throws: ControlClient.Failure.self) {
      _ = try await ControlClient.send(large, to: path)
    }
    await control.stop()
  }
}
