public import Foundations
public import Scheduling

/// The parts of a pump.
public struct PumpParts: Sendable {
  /// The destination.
  public var sink: any Sink
  /// The record of attempts and outcomes.
  public var writer: SinkWriter
  /// The source of events.
  public var reader: EventReader
  /// The source of account states.
  public var accounts: (any AccountSource)?
  /// The clock for retries.
  public var clock: any ServiceClock
  /// The source of jitter.
  public var random: SplitMix64
  /// How much is kept in memory.
  public var limits = QueueLimits()
  /// Called with the reason when deliveries begin to fail, and with nil when they succeed again; not repeated for the same
  /// reason.
  public var onTrouble: @Sendable (String?) -> Void = { _ in }
  /// Called with the reason when the sink is paused, and with nil when it resumes; also once at the start.
  public var onPause: @Sendable (String?) -> Void = { _ in }

  /// Creates parts with the usual limits.
  public init(
    sink: any Sink, writer: SinkWriter, reader: EventReader, clock: any ServiceClock,
    random: SplitMix64
  ) {
    self.sink = sink
    self.writer = writer
    self.reader = reader
    self.clock = clock
    self.random = random
  }
}

/// How much of a sink's events is kept in memory.
public struct QueueLimits: Sendable {
  /// The maximum number of entries in memory; reading continues below half of it.
  public var entries = 4_096
  /// The maximum number of a lane's entries in memory; the rest is read once these are gone.
  public var entriesPerLane = 64
  /// How many lanes may be behind before no new ones are read.
  public var lanesBehind = 10_000
  /// The minimum time between two states of one account.
  public var accountEverySeconds: Int64 = 0

  /// Creates the usual limits.
  public init() {}
}
