import CivilTime
import Configuration
import Described
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

  private static let output = JSONMembers<[(account: Account, ledger: LedgerState)]> {
    $0.list("users", { $0 }) { $0.include({ $0 }, as: UsersShowCommand.output) }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let ledger = try await StateReading.read(
      LedgerReading.open(context.configuration().directory))
    let wanted = arguments.arguments[0].lowercased()
    let accounts = ledger.accounts.filter { $0.id.lowercased().contains(wanted) }
      .sorted { ($0.id.utf8.count, $0.id) < ($1.id.utf8.count, $1.id) }
    context.report(accounts.map { ($0, ledger) }, as: output) {
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
    }
    return accounts.isEmpty ? .attention : .done
  }
}
