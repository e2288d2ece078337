import Configuration
public import Scheduling
import Threading

extension Runtime {
  /// Who closes days here.
  var closer: DayCloser {
    DayCloser(
      writer,
      guarding: MassBreakGuard(
        factor: configuration.massBreakGuard.breakFactor,
        minimumStreaks: configuration.massBreakGuard.minimumStreaks))
  }

  /// Tells the other shards of a database which days are open here, with the counts of `closes`; nothing where there are none. With
  /// `isRoutine` only what has changed is written. Throws when they cannot be told.
  public func tellShards(
    counting closes: [DueClose] = [], isRoutine: Bool = false
  ) async throws {
    guard let shards = environment.sharedCloses else { return }
    // In turns: what was known first is told first.
    try await shardTells.withLock {
      try await shards.tell(await closer.report(counting: closes), isRoutine: isRoutine)
    }
  }
}
