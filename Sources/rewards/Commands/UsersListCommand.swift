import CivilTime
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
    let book = try await BookReading.read(DataDirectory(configuration.data))
    let accounts = book.accounts.filter { !$0.isRemoved }
    context.report {
      var table = TextTable(["USER", "ZONE", "SINCE", "CLOSED"])
      for account in accounts {
        table.add([
          account.id, book.zone(of: account), account.firstDay.description,
          account.boundaryDay < account.firstDay ? "-" : account.boundaryDay.description,
        ])
      }
      return table.text
    } json: { json in
      json.objects("users", accounts) { json, account in
        UsersShowCommand.write(account, book, to: &json)
      }
    }
    return .done
  }
}
