public import CivilTime

/// How far the inbox is known to be complete: its sender's last `completeThrough` line.
public struct InboxWatermark: Sendable, Equatable {
  /// Every activity before this instant has been handed over.
  public let through: Instant

  /// A watermark.
  public init(through: Instant) { self.through = through }
}
