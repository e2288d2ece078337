/// The limits of a server.
package struct ServerLimits: Sendable, Equatable {
  /// The maximum size of a request body in bytes; a longer one is answered with 413.
  package var bodyBytes: Int
  /// The maximum size in bytes of all current request bodies together; a request that would exceed it is answered with 503.
  package var bodiesBytes: Int
  /// The maximum number of connections; further ones wait in the kernel's queue or are closed.
  package var connections: Int
  /// How many connections to keep free for new ones: if fewer are left, the connection that has owed its request for the longest
  /// time is cut. 0 cuts none.
  package var spareConnections: Int
  /// The number of seconds after which a silent connection is closed. Waiting for an answer does not count.
  package var idleTimeoutSeconds: Int
  /// The number of seconds within which a request must arrive completely, or an answer be received, however steadily bytes
  /// trickle; accurate to about a second. Waiting for an answer does not count.
  package var requestSeconds: Int

  /// Creates limits; by default 8 MiB per body, 256 MiB for all, 1,000 connections with none kept free, 30 seconds of silence and
  /// 60 per request.
  package init(
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
