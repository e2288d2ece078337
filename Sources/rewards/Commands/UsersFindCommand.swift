import CivilTime
import Configuration
import Failures
import Ledger
import LedgerStore
import Operations
import RewardRules
import StrictJSON

/// Finds users by part of their id.
struct UsersFindCommand: Command {
  static let spec = CommandSpec(
    "users find",
    "users whose id holds a text, those who have left too; exits 1 when nobody's does",
    shards: .any,
    arguments: [.init("TEXT", help: "a part of the id, in any case")],
    examples: [
      .init("rewards users find 47", "everybody with 47 in the id"),
      .init("rewards users find ann --format json", "for another program"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let ledger = try await StateReading.read(try context.configuration().directory)
    let wanted = arguments.arguments[0].lowercased()
    let accounts = ledger.accounts.filter { $0.id.lowercased().contains(wanted) }
      .sorted { ($0.id.utf8.count, $0.id) < ($1.id.utf8.count, $1.id) }
    context.report {
      if accounts.isEmpty { return "nobody's id holds that\n" }
      var table = TextTable(
        ["USER", "ZONE", "SINCE", "POINTS", "LEVEL", "STREAK", "REMOVED"],
        [.left, .left, .left, .right, .right, .right, .left])
      for account in accounts {
        let balance = ledger.balance(of: account.id)
        table.add([
          account.id, ledger.zone(of: account), account.firstDay.description,
          "\(balance?.points ?? 0)", "\(balance?.level ?? 1)", "\(balance?.streak.length ?? 0)",
          account.isPresent ? "-" : "yes",
        ])
      }
      return table.text
    } json: { json in
      json.objects("users", accounts) { json, account in
        UsersShowCommand.write(account, ledger, to: &json)
      }
    }
    return accounts.isEmpty ? .attention : .done
  }
}
