import Configuration
import Described
import Digests
import Failures
import Ledger
import LedgerStore
import Operations
import StrictJSON

/// Shows the last seal of the ledger.
struct LedgerHeadCommand: Command {
  static let spec = CommandSpec(
    "ledger head", "print sequence and hash of the last seal, to be kept elsewhere",
    examples: [
      .init("rewards ledger head", "SEQ:HASH, for rewards ledger verify --head")
    ])

  static var outputs: [JSONShape] { [LedgerHead.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let directory = try context.configuration().directory
    let head = try await LedgerReading.open(directory).head
    context.report(head, as: LedgerHead.members) { "\(head)\n" }
    return .done
  }
}
