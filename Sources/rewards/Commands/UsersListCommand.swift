import CivilTime
import Configuration
import Described
import Failures
import Ledger
import LedgerStore
import Operations
import StrictJSON

/// Lists the users.
struct UsersListCommand: Command {
  static let spec = CommandSpec(
    "users list", "the users, with their zones",
    examples: [
      .init("rewards users list", "everybody"),
      .init("rewards users list --format json", "for another program"),
    ])

  private static let output = JSONMembers<[(account: Account, ledger: LedgerState)]> {
    $0.list("users", { $0 }) { $0.include({ $0 }, as: UsersShowCommand.output) }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let ledger = try await StateReading.read(LedgerReading.open(configuration.directory))
    let accounts = ledger.accounts.filter(\.isPresent)
    context.report(accounts.map { ($0, ledger) }, as: output) {
      var table = TextTable(["USER", "ZONE", "SINCE", "CLOSED"])
      for account in accounts {
        table.add([
          account.id, ledger.zone(of: account), account.firstDay.description,
          account.boundaryDay < account.firstDay ? "-" : account.boundaryDay.description,
        ])
      }
      return table.text
    }
    return .done
  }
}
