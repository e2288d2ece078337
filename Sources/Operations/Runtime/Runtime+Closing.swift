import Configuration
import Scheduling

extension Runtime {
  /// Who closes days here.
  var closer: DayCloser {
    DayCloser(
      writer,
      guarding: MassBreakGuard(
        factor: configuration.massBreakGuard.breakFactor,
        minimumStreaks: configuration.massBreakGuard.minimumStreaks))
  }

  /// Tells the other shards of a database which days are open here, so that they wait for no others; nothing where there are none.
  /// Throws when they cannot be told.
  public func tellShards() async throws {
    guard let shards = environment.sharedCloses else { return }
    try await shards.tell(await closer.report(counting: []))
  }
}
