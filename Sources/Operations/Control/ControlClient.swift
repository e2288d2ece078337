import HTTPClient

/// Sends requests to the service that holds the ledger.
package enum ControlClient {
  /// The timeout of a command.
  private static let timeoutSeconds = 3_600.0

  /// The timeout of a service's first answer.
  private static let greetingSeconds = 10.0

  /// The reason a service that accepted a command did not report its result.
  package struct Failure: Error, Sendable, CustomStringConvertible {
    /// The cause, on one line.
    package let description: String
  }

  /// Returns the request for a command. No bytes arrive until the command ends, so silence is not a stall.
  static func post(_ request: [UInt8], to path: String) -> HTTPRequest {
    HTTPRequest(
      .post(request), url: "http://localhost/v1/command",
      timeoutSeconds: timeoutSeconds,
      stallSeconds: Int(timeoutSeconds), bodyLimitBytes: 256 << 20, unixSocketPath: path,
      usesFreshConnection: true)
  }

  /// Whether a service answers on the socket at `path`.
  package static func isAnswered(at path: String) async -> Bool {
    let client = HTTPClient(concurrentTransfers: 1)
    defer { client.close() }
    return await isAnswered(at: path, client)
  }

  private static func isAnswered(at path: String, _ client: HTTPClient) async -> Bool {
    let greeting = HTTPRequest(
      .get, url: "http://localhost/healthz", timeoutSeconds: greetingSeconds,
      bodyLimitBytes: 1 << 10, unixSocketPath: path, usesFreshConnection: true)
    return (try? await client.send(greeting))?.status == 200
  }

  /// Has the service execute `request`; returns nil when no service answers on the socket at `path`. Throws ``Failure`` when
  /// the service had answered but the result of the command is unknown.
  package static func send(
    _ request: [UInt8], to path: String
  ) async throws(Failure) -> CommandResult? {
    let client = HTTPClient(concurrentTransfers: 1)
    defer { client.close() }
    guard await isAnswered(at: path, client) else { return nil }
    // A command must never run twice, so it gets a connection of its own.
    let response: HTTPResponse
    do {
      response = try await client.send(post(request, to: path))
    } catch {
      throw Failure(description: "\(error)")
    }
    switch response.status {
    case 413:
      throw Failure(
        description:
          "nothing was done: the input is larger than the \(ControlServer.requestLimitBytes >> 20) MiB that a running service accepts at once; divide it"
      )
    case 503: throw Failure(description: "nothing was done: the service is busy; try again")
    case 400, 404:
      throw Failure(
        description:
          "nothing was done: the service runs another version; use that one, or restart it with this one"
      )
    default: break
    }
    guard response.status == 200, let answer = CommandResult(json: response.body) else {
      throw Failure(description: "HTTP \(response.status) without an answer")
    }
    return answer
  }
}
