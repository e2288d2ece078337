import CivilTime
import Configuration
import Scheduling

/// What the other shards say to closes of this one: none is made before all have counted their streaks.
struct StreaksElsewhere: Sendable {
  /// How often it is asked whether others have counted, in seconds.
  private static let everySeconds = 2.0

  let runtime: Runtime
  let order: ReconcileOrder

  /// Counts the streaks of `closes` here for the others, and takes what they have counted.
  ///
  /// Returns the closes that may be made, in order, and what the others say to each. The rest stands in the report as deferred, unless the
  /// order says to wait for it. A confirmed order needs nobody's word. Throws when the others cannot be told or asked.
  func count(
    _ closes: [DueClose], into report: inout ReconcileReport
  ) async throws -> (due: [DueClose], elsewhere: [DueClose: StreakCount]) {
    guard let shards = runtime.environment.sharedCloses else { return (closes, [:]) }
    var missing: [DueClose: [Int]] = [:]
    if order.closesCounted {
      let counted = try await shards.told(among: closes)
      for close in closes where !counted.contains(close) { missing[close] = [shards.number] }
    }
    let counted = closes.filter { missing[$0] == nil }
    try await shards.tell(await runtime.closer.report(counting: counted))
    var elsewhere: [DueClose: StreakCount] = [:]
    var isWaiting = false
    while true {
      for close in counted where elsewhere[close] == nil {
        let others = try await shards.others(of: close)
        let isEnough = others.missing.isEmpty || order.isConfirmed
        if isEnough { elsewhere[close] = others.sum }
        missing[close] = isEnough ? nil : others.missing
      }
      guard order.waitsForShards, let next = closes.first(where: { missing[$0] != nil }) else {
        break
      }
      if !isWaiting {
        let deferred = DeferredClose(close: next, shards: missing[next] ?? [])
        runtime.environment.log.info(
          "a close waits for other shards", ["what": .text(deferred.text)])
      }
      isWaiting = true
      try await runtime.clock.sleep(seconds: Self.everySeconds)
    }
    // Days of a zone are closed in order.
    var blocked: Set<String> = []
    var due: [DueClose] = []
    for close in closes {
      if let shards = missing[close] {
        blocked.insert(close.zone)
        report.deferred.append(DeferredClose(close: close, shards: shards))
      } else if !blocked.contains(close.zone) {
        due.append(close)
      }
    }
    return (due, elsewhere)
  }
}

extension Runtime {
  /// Who closes days here.
  var closer: DayCloser {
    DayCloser(
      writer,
      guarding: MassBreakGuard(
        factor: configuration.massBreakGuard.breakFactor,
        minimumStreaks: configuration.massBreakGuard.minimumStreaks))
  }

  /// Tells the other shards of which days that have ended there is nothing to wait for here; nothing where there are none. Throws when
  /// they cannot be told.
  public func tellShards() async throws {
    guard let shards = environment.sharedCloses else { return }
    try await shards.tell(await closer.report(counting: []))
  }
}
