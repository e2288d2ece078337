import Failures
import Glibc
import HTTPClient
import TestSupport
import Testing

@testable import Operations

/// The doors of a service, over real sockets.
@Suite(.offThePool) struct ControlTests {
  @Test func aRequestIsCarriedOutAndItsAnswerComesBack() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/control.sock"
    // Also bytes that are no text.
    let request: [UInt8] = Array("{\"ü\":1}\n".utf8) + [0, 0xFF, 0x0A]
    let server = try ControlServer.start(at: path) { heard, _ in
      CommandResult(
        exitCode: heard == request ? 75 : 0, output: Array("{}\n".utf8),
        errors: Array("no\n".utf8))
    }
    let answer = try await ControlClient.send(request, to: path)
    #expect(
      answer
        == CommandResult(exitCode: 75, output: Array("{}\n".utf8), errors: Array("no\n".utf8)))
    await server.stop()
    #expect(try await ControlClient.send(request, to: path) == nil)
  }

  @Test func aGroupMayUseTheSocket() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/control.sock"
    let server = try ControlServer.start(at: path) { _, _ in
      CommandResult(exitCode: 0, output: [], errors: [])
    }
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let missing = #expect(throws: Failure.self) {
      try ControlServer.open(path, to: "no such group")
    }
    #expect(missing?.remedy?.contains("groupadd") == true)
    #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let own = try #require(getgrgid(getgid()).map { String(cString: $0.pointee.gr_name) })
    try ControlServer.open(path, to: own)
    #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o660)
    #expect(status.st_gid == getgid())
    #expect(try await ControlClient.send([1], to: path)?.exitCode == 0)
    await server.stop()
  }

  @Test func theAdminAddressTellsWhyNothingIsGranted() async throws {
    let table: [(objection: String?, reservation: String?, status: Int, text: String)] = [
      (nil, nil, 200, "granting\n"), (nil, "no day is closed", 200, "granting; no day is closed\n"),
      ("the disk is full", nil, 503, "not granting: the disk is full\n"),
    ]
    for (objection, reservation, status, text) in table {
      var answers = AdminServer.Answers { objection }
      answers.reservation = { reservation }
      let server = try AdminServer.start(host: "127.0.0.1", port: 0, answers: answers)
      let client = HTTPClient(concurrentTransfers: 1)
      let answer = try await client.send(
        HTTPRequest(url: "http://127.0.0.1:\(server.port)/readyz", timeoutSeconds: 60))
      #expect(answer.status == status)
      #expect(String(decoding: answer.body, as: UTF8.self) == text)
      client.close()
      await server.stop()
    }
  }

  /// A service that works for an hour says nothing meanwhile.
  @Test func aLongRequestIsNoStall() {
    let post = ControlClient.post([], to: "/tmp/s")
    #expect(Double(post.stallSeconds) >= post.timeoutSeconds && post.timeoutSeconds >= 3_600)
  }
}
