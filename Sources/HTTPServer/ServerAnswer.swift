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
