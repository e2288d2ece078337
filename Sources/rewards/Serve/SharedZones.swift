import Foundations

/// The time zones of a process that serves several ledgers; each ledger learns of a newer database, although it is loaded once.
final class SharedZones: Sendable {
  private struct State {
    var generation = 0
    var seen: [Int64: Int] = [:]
  }

  private let base: @Sendable () -> Bool
  private let state = Lock(State())

  /// Creates zones that `base` reads again, returning whether they changed.
  init(_ base: @escaping @Sendable () -> Bool) { self.base = base }

  /// Reads the zones again and returns whether they have changed since the last call for `shard`. Calls `tell` when they have just changed.
  func reload(for shard: Int64, _ tell: () -> Void) -> Bool {
    let isNew = base()
    let isChanged = state.withLock { state in
      if isNew { state.generation += 1 }
      return state.seen.updateValue(state.generation, forKey: shard) ?? 0 != state.generation
    }
    if isNew { tell() }
    return isChanged
  }
}
