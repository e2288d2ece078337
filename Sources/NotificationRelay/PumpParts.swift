package import Foundations
package import Scheduling

/// The parts of a pump.
package struct PumpParts: Sendable {
  /// The destination.
  package var sink: any Sink
  /// The record of attempts and outcomes.
  package var writer: SinkWriter
  /// The source of events.
  package var reader: EventReader
  /// The source of account states.
  package var accounts: (any AccountSource)?
  /// Returns whether a user was forgotten: then the sink is sent nothing about them but that.
  package var isForgotten: @Sendable (String) -> Bool = { _ in false }
  /// The clock for retries.
  package var clock: any ServiceClock
  /// The source of jitter.
  package var random: SplitMix64
  /// How much is kept in memory.
  package var limits = QueueLimits()
  /// Called with the reason when deliveries begin to fail, and with nil when they succeed again; not repeated for the same
  /// reason.
  package var onTrouble: @Sendable (String?) -> Void = { _ in }
  /// Called with the reason when the sink is paused, and with nil when it resumes; also once at the start.
  package var onPause: @Sendable (String?) -> Void = { _ in }

  /// Creates parts with the usual limits.
  package init(
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
package struct QueueLimits: Sendable {
  /// The maximum number of entries in memory; reading continues below half of it.
  package var entries = 4_096
  /// The maximum number of a lane's entries in memory; the rest is read once these are gone.
  package var entriesPerLane = 64
  /// How many lanes may be behind before no new ones are read.
  package var lanesBehind = 10_000
  /// The minimum time between two states of one account.
  package var accountEverySeconds: Int64 = 0

  package init() {}
}
