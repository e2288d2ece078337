import HTTPClient
public import LedgerStore

/// Sends command lines to the service that holds the ledger.
public enum ControlClient {
  /// How long a command may take.
  private static let timeoutSeconds = 3_600.0

  /// Has the service carry `request` out; nil when no service answers on the socket.
  public static func send(
    _ request: ControlRequest, to directory: DataDirectory
  ) async -> ControlAnswer? {
    let client = HTTPClient(concurrentTransfers: 1)
    defer { client.close() }
    // A command must not be carried out twice: its connection is its own.
    let post = HTTPRequest(
      .post(request.json), url: "http://localhost/v1/command",
      headers: [HTTPHeader("Content-Type", "application/json")], timeoutSeconds: timeoutSeconds,
      bodyLimitBytes: 256 << 20, unixSocketPath: directory.controlSocket, usesFreshConnection: true)
    guard let response = try? await client.send(post), response.status == 200 else { return nil }
    return ControlAnswer(json: response.body)
  }
}
