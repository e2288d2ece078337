import Glibc
import HTTPServer
import TestSupport
import Testing

/// Where a server listens, and what it does when it cannot.
@Suite(.offThePool) struct ListeningTests {
  private static func hello(_: ServerRequest) -> ServerAnswer { .respond(.text("hello")) }

  @Test func tellsThePortThatItGot() async throws {
    let server = try HTTPServer.start(on: .loopback(), handler: Self.hello)
    #expect(server.port != 0)
    #expect(server.address == .loopback(port: server.port))
    #expect(try await RawClient.get(server.address, "/").text == "hello")
    await server.stop()
    await #expect(throws: RawClient.Unreachable.self) {
      try await RawClient.get(server.address, "/")
    }
  }

  @Test func refusesAPortThatIsTaken() async throws {
    let first = try HTTPServer.start(on: .loopback(), handler: Self.hello)
    let error = #expect(throws: HTTPServerError.self) {
      try HTTPServer.start(on: .loopback(port: first.port), handler: Self.hello)
    }
    #expect(error?.cause == "Address already in use")
    #expect(try await RawClient.get(first.address, "/").status == 200)
    await first.stop()
  }

  @Test(arguments: ["localhost", "", "127.0.0.1.1", "nowhere.example"])
  func refusesHostsThatAreNoAddresses(host: String) {
    #expect(throws: HTTPServerError.self) {
      try HTTPServer.start(on: .tcp(host: host, port: 0), handler: Self.hello)
    }
  }

  @Test func listensOnIPv6() async throws {
    let server = try HTTPServer.start(on: .tcp(host: "::1", port: 0), handler: Self.hello)
    #expect(server.port != 0)
    #expect(server.address.description == "[::1]:\(server.port)")
    #expect(try await RawClient.get(server.address, "/").text == "hello")
    await server.stop()
  }

  @Test func socketFileIsForTheOwnerOnlyAndGoneAfterTheStop() async throws {
    let directory = try TemporaryFolder()
    let path = directory.path + "/control.sock"
    let server = try HTTPServer.start(on: .unixSocket(path: path), handler: Self.hello)
    var status = stat()
    #expect(lstat(path, &status) == 0)
    #expect(status.st_mode == S_IFSOCK | 0o600)
    #expect(try await RawClient.get(server.address, "/").text == "hello")
    await server.stop()
    #expect(lstat(path, &status) == -1)
  }

  @Test func replacesTheSocketFileOfAKilledServer() async throws {
    let directory = try TemporaryFolder()
    let path = directory.path + "/control.sock"
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var name = RawClient.unixName(path)
    let bound = withUnsafeBytes(of: &name) {
      bind(
        descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    #expect(bound == 0)
    close(descriptor)
    let server = try HTTPServer.start(on: .unixSocket(path: path), handler: Self.hello)
    #expect(try await RawClient.get(server.address, "/").text == "hello")
    await server.stop()
  }

  @Test func leavesALiveServerAlone() async throws {
    let directory = try TemporaryFolder()
    let address = ListenAddress.unixSocket(path: directory.path + "/control.sock")
    let first = try HTTPServer.start(on: address, handler: Self.hello)
    let error = #expect(throws: HTTPServerError.self) {
      try HTTPServer.start(on: address, handler: Self.hello)
    }
    #expect(error?.cause == "another server answers there")
    #expect(try await RawClient.get(address, "/").status == 200)
    await first.stop()
  }

  /// One whose queue is full takes no more calls for now; it is alive all the same.
  @Test func leavesABusyServerAlone() throws {
    let directory = try TemporaryFolder()
    let path = directory.path + "/control.sock"
    func withName(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
      var name = RawClient.unixName(path)
      return withUnsafeBytes(of: &name) {
        call($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
      }
    }
    func stream() -> Int32 {
      socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    }
    var descriptors = [stream()]
    #expect(withName { bind(descriptors[0], $0, $1) } == 0 && listen(descriptors[0], 0) == 0)
    repeat {
      descriptors.append(stream())
    } while withName {
      connect(descriptors[descriptors.count - 1], $0, $1)
    } == 0
    #expect(errno == EAGAIN)
    let error = #expect(throws: HTTPServerError.self) {
      try HTTPServer.start(on: .unixSocket(path: path), handler: Self.hello)
    }
    #expect(error?.cause == "another server answers there")
    for descriptor in descriptors { close(descriptor) }
  }

  /// Who holds the ledger has its socket; the one that was replaced leaves it alone when it ends at last.
  @Test func aServerThatHangsCanBeReplaced() async throws {
    let directory = try TemporaryFolder()
    let address = ListenAddress.unixSocket(path: directory.path + "/control.sock")
    let first = try HTTPServer.start(on: address, handler: Self.hello)
    let second = try HTTPServer.start(on: address, replaces: true, handler: Self.hello)
    await first.stop()
    #expect(try await RawClient.get(address, "/").status == 200)
    await second.stop()
    #expect(access(directory.path + "/control.sock", F_OK) != 0)
  }

  @Test func neverRemovesAFileThatIsNoSocket() throws {
    let directory = try TemporaryFolder()
    let path = directory.path + "/precious"
    close(open(path, O_CREAT | O_WRONLY, 0o600))
    #expect(throws: HTTPServerError.self) {
      try HTTPServer.start(on: .unixSocket(path: path), handler: Self.hello)
    }
    #expect(access(path, F_OK) == 0)
  }

  @Test(arguments: [
    (String(repeating: "x", count: 200), "use a data folder with a shorter path"),
    ("/nonexistent/control.sock", "create the folder first"),
  ])
  func saysWhatToDoAboutAPath(path: String, remedy: String) {
    let error = #expect(throws: HTTPServerError.self) {
      try HTTPServer.start(on: .unixSocket(path: path), handler: Self.hello)
    }
    #expect(error?.remedy == remedy)
  }
}
