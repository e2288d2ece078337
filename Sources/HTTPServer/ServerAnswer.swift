/// A handler's decision about a request.
package enum ServerAnswer: Sendable {
  /// Sends this response.
  case respond(ServerResponse)
  /// Closes the connection without sending a byte.
  case cut
  /// Declares the whole length, sends only the first `sentBytes` bytes of the body, then closes the connection.
  case truncate(ServerResponse, sentBytes: Int)
  /// Does this after a number of seconds; no thread waits meanwhile.
  indirect case delay(seconds: Double, ServerAnswer)
  /// Waits for this task's answer; the task is cancelled if the server stops first.
  case later(@Sendable () async -> ServerAnswer)
}

/// A response's status, headers and body. The server adds length and connection headers.
package struct ServerResponse: Sendable, Equatable {
  /// The HTTP status code.
  package var status: Int
  /// The headers in order.
  package var headers: [HTTPField]
  /// The body.
  package var body: [UInt8]

  package init(status: Int, headers: [HTTPField] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Returns a response whose body is JSON.
  package static func json(_ body: [UInt8], status: Int = 200) -> ServerResponse {
    ServerResponse(
      status: status, headers: [HTTPField("Content-Type", "application/json")], body: body)
  }

  /// Returns a response whose body is plain text.
  package static func text(_ text: String, status: Int = 200) -> ServerResponse {
    ServerResponse(
      status: status, headers: [HTTPField("Content-Type", "text/plain; charset=utf-8")],
      body: Array(text.utf8))
  }
}

/// A decision about a request whose body has not been received yet.
package enum RequestAdmission: Sendable {
  /// Accepts a body of up to this size, and never more than the server's own limit; 0 for a request without one.
  case takeBody(limitBytes: Int)
  /// Answers at once, or after a short body that is on its way; not a byte of the body is kept.
  case refuse(ServerResponse)
}
