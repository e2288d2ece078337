import CivilTime
import Evidence
import Ledger
import RewardRules
import Scheduling
import ZoneFiles

/// A clerk with the built-in rules and an empty book.
enum BenchmarkClerk {
  static let drawText = "draws of the benchmarks"
  static let draws = DrawSecret(Array(drawText.utf8))

  static func make(
    ledger: any LedgerAppending, clock: any ServiceClock, looks: any LookKeeping
  ) async throws -> Clerk {
    let rules = try RuleBook([.builtIn])
    let clerk = Clerk(
      book: Book(),
      context: JudgeContext(rules: rules, draws: draws, lagSeconds: 10, watched: .all),
      zones: SystemZones(directory: nil), clock: clock, ledger: ledger, looks: looks)
    _ = try await clerk.use(rules, draws: draws)
    return clerk
  }
}
