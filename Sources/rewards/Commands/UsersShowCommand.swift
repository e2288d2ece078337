import CivilTime
import Configuration
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

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let user = arguments.arguments[0]
    let ledger = try await StateReading.read(configuration.directory, of: user)
    guard let account = ledger.account(of: user) else {
      throw Failure.unknownUser(user)
    }
    context.report {
      text(of: account, ledger)
    } json: { json in
      write(account, ledger, to: &json)
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

  /// Writes the members that describe a user.
  static func write(_ account: Account, _ ledger: LedgerState, to json: inout JSONWriter) {
    json.member("user", account.id)
    json.member("timezone", ledger.zone(of: account))
    json.member("movesTo", account.changes.last?.zone)
    json.member("since", account.firstDay.description)
    json.member(
      "closedThrough",
      account.boundaryDay < account.firstDay ? nil : account.boundaryDay.description)
    json.member("openFrom", account.boundary.description)
    json.member("removed", !account.isPresent)
    json.member("notJudged", account.stopped)
    json.member("heldBack", account.heldBack.map { $0.text(user: account.id) }.sorted())
  }
}
