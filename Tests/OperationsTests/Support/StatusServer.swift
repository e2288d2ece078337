import Foundations
import HTTPServer

/// An API that answers everything with one status, which can be changed.
final class StatusServer: Sendable {
  private let status: Lock<Int>
  private let server: HTTPServer

  /// Begins with `status`.
  init(_ status: Int) throws {
    let lock = Lock(status)
    self.status = lock
    server = try HTTPServer.start(on: .loopback()) { _ in
      .respond(.json(Array("{}".utf8), status: lock.withLock { $0 }))
    }
  }

  var url: String { "http://127.0.0.1:\(server.port)/api/v1" }

  func answer(with status: Int) { self.status.withLock { $0 = status } }

  func stop() async { await server.stop(graceSeconds: 0) }
}
