import CivilTime
import Configuration
import Described
import Failures
import Ledger
import LedgerStore
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// Shows one user.
struct UsersShowCommand: Command {
  static let spec = CommandSpec(
    "users show", "one user: zones, since when, streak",
    arguments: [
      .user("ID")
    ],
    examples: [
      .init("rewards users show 4711", "what is known of a user")
    ])

  /// A user for programs.
  static let output = JSONMembers<(account: Account, ledger: LedgerState)> {
    $0.add("user", \.account.id)
    $0.add("timezone") { $0.ledger.zone(of: $0.account) }
    $0.add("movesTo", \.account.changes.last?.zone)
    $0.add("since", \.account.firstDay)
    $0.add("closedThrough") {
      $0.account.boundaryDay < $0.account.firstDay ? nil : $0.account.boundaryDay
    }
    $0.add("openFrom", \.account.boundary)
    $0.add("removed") { !$0.account.isPresent }
    $0.add("notJudged", \.account.stopped, "why")
    $0.add(
      "heldBack",
      { user in user.account.heldBack.map { $0.text(user: user.account.id) }.sorted() }, "keys")
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let user = arguments.arguments[0]
    let ledger = try await StateReading.read(
      LedgerReading.open(configuration.directory), of: user)
    guard let account = ledger.account(of: user) else {
      throw Failure.unknownUser(user)
    }
    context.report((account, ledger), as: output) {
      text(of: account, ledger)
    }
    return .done
  }

  private static func text(of account: Account, _ ledger: LedgerState) -> String {
    var table = TextTable(["user", account.id])
    table.add(["zone", ledger.zone(of: account)])
    for change in account.changes {
      table.add(["moves to", "\(change.zone), known since \(change.at)"])
    }
    table.add(["judged since", account.firstDay.description])
    table.add(["open from", account.boundary.description])
    if !account.isPresent { table.add(["removed", "yes"]) }
    if let stopped = account.stopped { table.add(["not judged", stopped]) }
    for key in account.heldBack.map({ $0.text(user: account.id) }).sorted() {
      table.add(["held back", key])
    }
    return table.text
  }
}
