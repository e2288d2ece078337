import CivilTime
import Configuration
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

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let ledger = try await StateReading.read(configuration.directory)
    let accounts = ledger.accounts.filter(\.isPresent)
    context.report {
      var table = TextTable(["USER", "ZONE", "SINCE", "CLOSED"])
      for account in accounts {
        table.add([
          account.id, ledger.zone(of: account), account.firstDay.description,
          account.boundaryDay < account.firstDay ? "-" : account.boundaryDay.description,
        ])
      }
      return table.text
    } json: { json in
      json.objects("users", accounts) { json, account in
        UsersShowCommand.write(account, ledger, to: &json)
      }
    }
    return .done
  }
}
