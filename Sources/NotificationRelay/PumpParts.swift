public import Scheduling
public import SeededRandom

/// What a pump works with.
public struct PumpParts: Sendable {
  /// Who is told.
  public var sink: any Sink
  /// Where attempts and outcomes are recorded.
  public var writer: SinkWriter
  /// Where the events come from.
  public var reader: EventReader
  /// What accounts hold.
  public var accounts: (any AccountTelling)?
  /// The clock by which retries are due.
  public var clock: any ServiceClock
  /// Where jitter comes from.
  public var random: SplitMix64
  /// How much is kept in memory.
  public var limits = QueueLimits()
  /// When failures are tried again.
  public var retries = RetrySchedule()
  /// Told when deliveries begin to fail, with the reason, and when they go again, with nil. Not told again of the same.
  public var onTrouble: @Sendable (String?) -> Void = { _ in }
  /// Told when the sink is paused, with the reason, and when it goes on, with nil; also how it is at the start.
  public var onPause: @Sendable (String?) -> Void = { _ in }

  /// Parts with the usual limits.
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
  /// Entries in memory; below half of it more are read.
  public var entries = 4_096
  /// Entries of one lane in memory: what is beyond is read when these are gone.
  public var entriesPerLane = 64
  /// Lanes that may be behind before no new ones are read.
  public var lanesBehind = 10_000
  /// The least time between two states of one account.
  public var accountEverySeconds: Int64 = 0

  /// The usual limits.
  public init() {}
}
