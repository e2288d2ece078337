import CivilTime
import Engine
import Evidence
import Foundations
import Ledger
import RewardRules
import Scheduling

/// A writer with the built-in rules and an empty state.
enum BenchmarkWriter {
  static let drawText = "draws of the benchmarks"
  static let draws = DrawSecret(Array(drawText.utf8))

  static func make(
    ledger: any LedgerAppending, clock: any ServiceClock
  ) async throws -> LedgerWriter {
    let writer = LedgerWriter(
      WorkingState(
        LedgerState(), terms: EngineTerms(draws: draws, lagSeconds: 10, watched: .all),
        zones: SystemZones(directory: nil), clock: clock), ledger: ledger)
    _ = try await RulesUse(writer).record([.builtIn], by: "benchmark")
    return writer
  }
}
