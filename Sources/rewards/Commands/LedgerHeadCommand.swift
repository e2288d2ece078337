import Configuration
import Digests
import Failures
import Ledger
import LedgerStore
import Operations
import StrictJSON

/// Shows the last seal of the ledger.
struct LedgerHeadCommand: Command {
  static let spec = CommandSpec(
    "ledger head", "sequence and hash of the last seal, to be kept elsewhere",
    examples: [
      .init("rewards ledger head", "SEQ:HASH, for \"ledger verify --head\"")
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let directory = try context.configuration().directory
    let head = try await LedgerReading.head(directory)
    context.report {
      "\(head)\n"
    } json: { json in
      json.member("seq", head.seq)
      json.member("hash", head.hash.description)
    }
    return .done
  }

  /// Writes the member that names a head.
  static func write(_ head: LedgerHead, to json: inout JSONWriter) {
    json.object("head") { json in
      json.member("seq", head.seq)
      json.member("hash", head.hash.description)
    }
  }
}
