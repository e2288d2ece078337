package import Failures
import Foundations
internal import Glibc
import HTTPServer

/// Accepts command lines while a service holds the ledger: HTTP on a Unix socket in the data folder, mode 0600, or 0660 for a group.
package struct ControlServer: Sendable {
  /// The maximum number of concurrent commands; further ones are refused with 503.
  static let commandLimit = 32
  /// The maximum size of a command's request in JSON, in bytes, and of all concurrent requests together.
  static let requestLimitBytes = 24 << 20

  private let server: HTTPServer

  /// Starts listening on a socket at `path`; `answer` executes a request in the service's own process for the account with
  /// the given number.
  ///
  /// The holder of the ledger also owns the socket: one left by an earlier, hanging holder is replaced.
  package static func start(
    at path: String,
    answer: @escaping @Sendable (_ request: [UInt8], _ peerUser: UInt32?) async -> CommandResult
  ) throws -> ControlServer {
    let limits = ServerLimits(
      bodyBytes: requestLimitBytes, bodiesBytes: requestLimitBytes,
      connections: commandLimit + 64, spareConnections: 16)
    let running = Lock(0)
    let server = try HTTPServer.start(
      on: .unixSocket(path: path), replaces: true, limits: limits, gate: admit
    ) { request in
      guard request.path == "/v1/command" else { return .respond(.text("alive\n")) }
      let isFree = running.withLock { count in
        guard count < commandLimit else { return false }
        count += 1
        return true
      }
      guard isFree else { return .respond(.text("too many commands\n", status: 503)) }
      return .later {
        defer { running.withLock { $0 -= 1 } }
        return .respond(.json(await answer(request.body, request.peerUser).json))
      }
    }
    return ControlServer(server: server)
  }

  /// Lets the members of a group use the socket at `path`, too. Blocks. Throws if there is no such group, or the process may not give a
  /// file to it.
  ///
  /// A socket that has the group already, from its folder or from the process, is not given to it: a confined service may not call
  /// `chown` at all.
  package static func open(_ path: String, to group: String) throws(Failure) {
    guard let number = CallingAccount.group(named: group)?.number else {
      throw Failure(
        .configuration, "this machine has no group \"\(group)\"", place: "control.group",
        remedy: "groupadd --system \(group)")
    }
    var status = stat()
    guard lstat(path, &status) == 0,
      status.st_gid == number || lchown(path, uid_t.max, number) == 0, chmod(path, 0o660) == 0
    else {
      throw Failure(
        .configuration,
        "the control socket cannot be given to the group \"\(group)\": \(String(cString: strerror(errno)))",
        place: "control.group",
        remedy: CallingAccount.mayGive(to: number)
          ? "set Group=\(group) in the service's unit, then start the service again"
          : "usermod --append --groups \(group) \(CallingAccount.own), then start the service again"
      )
    }
  }

  /// Stops listening once the running commands have finished.
  package func stop() async { await server.stop(graceSeconds: 30) }

  private static func admit(_ head: ServerRequest) -> RequestAdmission {
    switch (head.method, head.path) {
    case ("GET", "/healthz"): .takeBody(limitBytes: 0)
    case ("POST", "/v1/command"): .takeBody(limitBytes: requestLimitBytes)
    default: .refuse(.text("not found\n", status: 404))
    }
  }
}
