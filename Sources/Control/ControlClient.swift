import HTTPClient

/// Sends command lines to the service that holds the ledger.
public enum ControlClient {
  /// How long a command may take.
  private static let timeoutSeconds = 3_600.0

  /// How long a service may take to say that it is there.
  private static let greetingSeconds = 10.0

  /// Why a service that took a command in did not tell what came of it.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    /// The cause, on one line.
    public let description: String
  }

  /// The request of a command. Nothing comes until the command has ended: silence is no stall.
  static func post(_ request: ControlRequest, to path: String) -> HTTPRequest {
    HTTPRequest(
      .post(request.json), url: "http://localhost/v1/command",
      headers: [HTTPHeader("Content-Type", "application/json")], timeoutSeconds: timeoutSeconds,
      stallSeconds: Int(timeoutSeconds), bodyLimitBytes: 256 << 20, unixSocketPath: path,
      usesFreshConnection: true)
  }

  /// Whether a service answers on the socket at `path`.
  public static func isAnswered(at path: String) async -> Bool {
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

  /// Has the service carry `request` out; nil when no service answers on the socket at `path`. Throws ``Failure`` when it answered
  /// before, and what came of the command is not known.
  public static func send(
    _ request: ControlRequest, to path: String
  ) async throws(Failure) -> ControlAnswer? {
    let client = HTTPClient(concurrentTransfers: 1)
    defer { client.close() }
    guard await isAnswered(at: path, client) else { return nil }
    // A command must not be carried out twice: its connection is its own.
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
          "nothing: the input is larger than the \(ControlServer.requestLimitBytes >> 20) MiB that a running service takes at once; divide it"
      )
    case 503: throw Failure(description: "nothing: the service is busy; try again")
    default: break
    }
    guard response.status == 200, let answer = ControlAnswer(json: response.body) else {
      throw Failure(description: "HTTP \(response.status) without an answer")
    }
    return answer
  }
}
