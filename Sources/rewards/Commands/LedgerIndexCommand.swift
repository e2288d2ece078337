import Configuration
import Described
import Failures
import LedgerStore
import Operations
import StrictJSON

/// Builds indexes of the ledger.
struct LedgerIndexCommand: Command {
  static let spec = CommandSpec(
    "ledger index", "make the indexes by which one user's lines are found, where they are missing",
    details: """
      An index tells which blocks of a segment hold lines of which user, so that explain, balance --at,
      users show and the like need not read the rest. They are made by themselves when they are missed;
      this makes them beforehand, after an upgrade or when a ledger was restored. An index is a cache
      in state/index: one that does not fit its segment is thrown away.
      """,
    examples: [
      .init("rewards ledger index", "make what is missing")
    ])

  private static let output = JSONMembers<Int> {
    $0.add("made") { $0 }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let made = try await LedgerReading.makeIndexes(
      of: LedgerReading.open(context.configuration().directory))
    context.report(made, as: output) {
      "\(made) \(made == 1 ? "index" : "indexes") made\n"
    }
    return .done
  }
}
