/// What a server puts up with.
public struct ServerLimits: Sendable, Equatable {
  /// The longest request body, in bytes; a longer one is answered with 413.
  public var bodyBytes: Int
  /// Connections at once; further ones wait in the kernel's queue or are closed.
  public var connections: Int
  /// Seconds after which a connection that sends nothing is closed. Waiting for an answer does not count.
  public var idleTimeoutSeconds: Int

  /// Limits; by default 8 MiB, 1,000 connections and 30 seconds.
  public init(bodyBytes: Int = 8 << 20, connections: Int = 1_000, idleTimeoutSeconds: Int = 30) {
    self.bodyBytes = bodyBytes
    self.connections = connections
    self.idleTimeoutSeconds = idleTimeoutSeconds
  }
}
