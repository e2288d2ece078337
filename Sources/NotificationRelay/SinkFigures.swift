public import Metrics

/// How a sink is, in figures.
public struct SinkFigures: Sendable {
  /// What its log says, and what is not recorded yet.
  public let progress: RelayProgress
  /// Everything up to this line is settled, but for lanes that are behind.
  public let cursor: UInt64
  /// The ledger's last line.
  public let head: UInt64
  /// Lanes that are behind.
  public let lanesBehind: Int
  /// Events in memory.
  public let entries: Int
  /// Whether the circuit is open.
  public let isOpen: Bool
  /// Whether somebody, or the receiver, has stopped all deliveries.
  public let isPaused: Bool
  /// How long shipments took, in seconds.
  public let deliverySeconds: Histogram
}
