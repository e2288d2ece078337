import CivilTime
import Configuration
import Described
import Failures
import Ledger
import LedgerStore
import Operations
import RewardRules
import StrictJSON

/// Lists the users, or those whose id holds a text.
struct UsersListCommand: Command {
  static let spec = CommandSpec(
    "users list", "list the users with their zones, or find users by a part of the id",
    isPaged: true,
    details: """
      With TEXT: lists all users whose id contains it, including users who have left, the
      shortest id first; exits 1 if there are none.
      """,
    arguments: [.init("TEXT", isOptional: true, help: "a part of the id, in any case")],
    examples: [
      .init("rewards users list", "everybody"),
      .init("rewards users list 47", "everybody with 47 in the id, with points and streak"),
      .init("rewards users list --format json", "for another program"),
    ])

  /// Looks for a text in every ledger; finding it in one is enough.
  static func shards(_ arguments: ParsedArguments) -> ShardUse {
    arguments.arguments.isEmpty ? spec.shards : .any
  }

  private static let output = JSONMembers<[(account: Account, ledger: LedgerState)]> {
    $0.list("users", { $0 }) { $0.include({ $0 }, as: UserText.user) }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let ledger = try await StateReading.read(
      LedgerReading.open(context.configuration().directory))
    let text = arguments.argument(0)?.lowercased()
    let accounts =
      text.map { text in
        ledger.accounts.filter { $0.id.lowercased().contains(text) }
          .sorted { ($0.id.utf8.count, $0.id) < ($1.id.utf8.count, $1.id) }
      } ?? ledger.accounts.filter(\.isPresent)
    context.report(accounts.map { ($0, ledger) }, as: output) {
      text == nil
        ? everybody(accounts, ledger, context.style) : found(accounts, ledger, context.style)
    }
    return text != nil && accounts.isEmpty ? .attention : .done
  }

  private static func everybody(
    _ accounts: [Account], _ ledger: LedgerState, _ style: TextStyle
  ) -> String {
    var table = TextTable(["USER", "ZONE", "SINCE", "CLOSED"])
    for account in accounts {
      table.add([
        account.id, ledger.zone(of: account), account.firstDay.description,
        account.closedThrough?.description ?? "-",
      ])
    }
    return table.text(style)
  }

  private static func found(
    _ accounts: [Account], _ ledger: LedgerState, _ style: TextStyle
  ) -> String {
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
    return table.text(style)
  }
}

/// Lists the users whose id holds a text: the former `users find`.
struct UsersFindCommand: Command {
  static let spec = CommandSpec(former: "users find", arguments: [.init("TEXT", help: "")])

  static var outputs: [JSONShape] { UsersListCommand.outputs }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    try await UsersListCommand.run(arguments, in: context)
  }
}
