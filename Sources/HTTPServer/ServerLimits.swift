/// What a server puts up with.
public struct ServerLimits: Sendable, Equatable {
  /// The longest request body, in bytes; a longer one is answered with 413.
  public var bodyBytes: Int
  /// All request bodies in hand together, in bytes; a request whose body would go beyond is answered with 503.
  public var bodiesBytes: Int
  /// Connections at once; further ones wait in the kernel's queue or are closed.
  public var connections: Int
  /// How many of the connections are kept free for new ones: when fewer are left, the connection that has owed its request
  /// for the longest is cut. 0 cuts none.
  public var spareConnections: Int
  /// Seconds after which a connection that sends nothing is closed. Waiting for an answer does not count.
  public var idleTimeoutSeconds: Int
  /// Seconds within which a request must have arrived whole, and an answer been taken, however busily bytes drip; whole
  /// seconds, a little more or less. Waiting for an answer does not count.
  public var requestSeconds: Int

  /// Limits; by default 8 MiB a body, 256 MiB for all, 1,000 connections, none of them kept free, 30 seconds without a byte
  /// and 60 for a request.
  public init(
    bodyBytes: Int = 8 << 20, bodiesBytes: Int = 256 << 20, connections: Int = 1_000,
    spareConnections: Int = 0, idleTimeoutSeconds: Int = 30, requestSeconds: Int = 60
  ) {
    self.bodyBytes = bodyBytes
    self.bodiesBytes = bodiesBytes
    self.connections = connections
    self.spareConnections = spareConnections
    self.idleTimeoutSeconds = idleTimeoutSeconds
    self.requestSeconds = requestSeconds
  }
}
