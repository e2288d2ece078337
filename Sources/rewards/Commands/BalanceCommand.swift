import CivilTime
import Configuration
import Ledger
import LedgerStore
import Operations
import RewardRules
import StrictJSON

/// Tells what a user has.
struct BalanceCommand: Command {
  static let spec = CommandSpec(
    "balance", "a user's points, exp, level, coins, items, booster and streak",
    arguments: [
      .init("USER", help: "the user's id")
    ],
    options: [
      .init("at", "INSTANT", help: "as it was then")
    ],
    examples: [
      .init("rewards balance 4711", "what the user has now"),
      .init(
        "rewards balance 4711 --at 2026-11-01T00:00:00Z --format json",
        "what the user had then"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let context = try await context.inTimeOfLedger(configuration)
    let at = try arguments.value("at").map { try InstantArgument.parse($0, place: "--at").instant }
    let user = arguments.arguments[0]
    let state = try await StateReading.read(
      DataDirectory(configuration.data), of: user, at: at)
    guard let balance = state.balance(of: user) else {
      throw CommandFailure(
        .badData, "the ledger knows no such user", place: "user \"\(user)\"",
        remedy: "See rewards users list.")
    }
    let waiting = at == nil ? try await waitingDays(of: user, state, configuration, context) : nil
    context.report {
      text(of: balance, waiting: waiting)
    } json: { json in
      json.member("user", balance.user)
      balance.writeMembers(to: &json)
      if let waiting { json.member("waitingDays", waiting) }
    }
    return .done
  }

  /// How many closed days of the user wait for a backfill; nil when that cannot be told without the draw secret.
  private static func waitingDays(
    of user: String, _ state: LedgerState, _ configuration: Configuration, _ context: CommandContext
  ) async throws -> Int? {
    guard let account = state.account(of: user), state.hasLateFacts(account) else { return 0 }
    do {
      return try await WaitingDays.read(
        of: user, configuration, context.runtimeEnvironment("rewards balance")
      ).count
    } catch is SecretError {
      return nil
    }
  }

  private static func text(of balance: Balance, waiting: Int?) -> String {
    let streak = balance.streak
    var table = TextTable(["user", balance.user])
    table.add(["points", "\(balance.points)"])
    table.add(["exp", "\(balance.exp)"])
    table.add(["level", "\(balance.level)"])
    table.add(["coins", "\(balance.coins)"])
    table.add(["items", balance.items.isEmpty ? "-" : balance.items.joined(separator: " ")])
    table.add(["booster until", balance.boosterUntil?.description ?? "-"])
    table.add([
      "streak",
      "\(streak.length) days, cycle day \(streak.cycleDay), longest \(streak.longest), last \(streak.lastDay?.description ?? "-")",
    ])
    if let waiting, waiting > 0 {
      table.add(["waiting", "\(waiting) \(waiting == 1 ? "day" : "days"), for a backfill"])
    }
    return table.text
  }
}
