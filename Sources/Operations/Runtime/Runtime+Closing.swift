import Configuration
import Foundations
package import Scheduling

extension Runtime {
  /// The closer of days in this ledger.
  var closer: DayCloser {
    DayCloser(
      writer,
      guarding: MassBreakGuard(
        factor: configuration.massBreakGuard.breakFactor,
        minimumStreaks: configuration.massBreakGuard.minimumStreaks))
  }

  /// Tells the other shards of a database which days are open here, with the counts of `closes`; does nothing without other
  /// shards. With `isRoutine`, writes only what has changed. Throws when they cannot be told.
  package func publishCloses(
    counting closes: [DueClose] = [], isRoutine: Bool = false
  ) async throws {
    guard let shards = environment.sharedCloses else { return }
    // In turns, so that what was known first is written first.
    try await shardPublishing.withLock {
      try await shards.publish(await closer.report(counting: closes), isRoutine: isRoutine)
    }
  }
}
