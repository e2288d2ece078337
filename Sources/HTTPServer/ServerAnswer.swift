/// What a handler wants done with a request.
public enum ServerAnswer: Sendable {
  /// Send this.
  case respond(ServerResponse)
  /// Close the connection without a byte.
  case cut
  /// Declare the whole length, send only the first `sentBytes` bytes of the body, then close the connection.
  case truncate(ServerResponse, sentBytes: Int)
  /// Do this after so many seconds; no thread waits meanwhile.
  indirect case delay(seconds: Double, ServerAnswer)
  /// Ask this task; it is cancelled when the server stops before it has an answer.
  case later(@Sendable () async -> ServerAnswer)
}

/// An answer's status, headers and body. Length and connection headers are the server's work.
public struct ServerResponse: Sendable, Equatable {
  /// The HTTP status code.
  public var status: Int
  /// Headers in their order.
  public var headers: [HTTPField]
  /// The body.
  public var body: [UInt8]

  /// A response.
  public init(status: Int, headers: [HTTPField] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A response whose body is JSON.
  public static func json(_ body: [UInt8], status: Int = 200) -> ServerResponse {
    ServerResponse(
      status: status, headers: [HTTPField("Content-Type", "application/json")], body: body)
  }

  /// A response whose body is plain text.
  public static func text(_ text: String, status: Int = 200) -> ServerResponse {
    ServerResponse(
      status: status, headers: [HTTPField("Content-Type", "text/plain; charset=utf-8")],
      body: Array(text.utf8))
  }
}

/// What becomes of a request of which only the head has arrived.
public enum Admission: Sendable {
  /// Take the body, up to so many bytes and never more than the server's own limit; 0 for a request that has none.
  case takeBody(limitBytes: Int)
  /// Answer at once, or behind a short body that is on its way; not a byte of the body is kept.
  case refuse(ServerResponse)
}
