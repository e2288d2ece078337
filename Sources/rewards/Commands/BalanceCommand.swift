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

/// Shows what a user has.
struct BalanceCommand: Command {
  static let spec = CommandSpec(
    "balance", "a user's points, exp, level, coins, items, booster and streak, or everybody's",
    details: """
      With --at everything recorded up to and at that instant counts, summed up from the ledger's first
      line. Without it the newest snapshot is gone on from, which rewards audit holds against the ledger.
      Neither checks seals: rewards ledger verify does.
      """,
    arguments: [
      .user(isOptional: true)
    ],
    options: [
      .init("at", "INSTANT", help: "as it was then"),
      .init(
        "all", help: "everybody, those who have left too, with control totals in the last line"),
      .init("csv", help: "with --all: as comma-separated values"),
    ],
    examples: [
      .init("rewards balance 4711", "what the user has now"),
      .init(
        "rewards balance 4711 --at 2026-11-01T00:00:00Z --format json",
        "what the user had then"),
      .init(
        "rewards balance --all --at 2026-11-01T00:00:00Z --csv",
        "everybody's, for an accountant; the totals are those of the ledger"),
    ])

  private static let output = JSONMembers<(balance: Balance, waiting: Int?)> {
    $0.include(\.balance, as: Balance.membersWithUser)
    $0.optional("waitingDays", \.waiting)
  }

  static var outputs: [JSONShape] { [output.shape, BalanceListing.output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let at = try arguments.value("at").map { try InstantArgument.parse($0, place: "--at").instant }
    if arguments.has("all") { return try await showAll(arguments, configuration, at: at, context) }
    guard let user = arguments.argument(0), !arguments.has("csv") else {
      throw Failure(
        .usage, "whose balance? USER, or --all for everybody's, with --csv if wanted")
    }
    let ledger = try await LedgerReading.open(configuration.directory)
    let state = try await StateReading.read(ledger, of: user, at: at)
    guard let balance = state.balance(of: user) else {
      throw Failure.unknownUser(user)
    }
    let waiting =
      at == nil ? try await waitingDays(of: user, state, in: ledger, configuration, context) : nil
    context.report((balance, waiting), as: output) {
      text(of: balance, waiting: waiting)
    }
    return .done
  }

  private static func showAll(
    _ arguments: ParsedArguments, _ configuration: Configuration, at: Instant?,
    _ context: CommandContext
  ) async throws -> ExitCode {
    guard arguments.argument(0) == nil else {
      throw Failure(.usage, "either USER or --all")
    }
    let table = BalanceListing(
      try await StateReading.read(LedgerReading.open(configuration.directory), at: at))
    if arguments.has("csv") {
      context.environment.output.write(table.csv)
      return .done
    }
    context.report(table, as: BalanceListing.output) {
      table.text
    }
    return .done
  }

  /// Returns how many of the user's closed days wait for a backfill; nil when that cannot be determined without the draw secret.
  private static func waitingDays(
    of user: String, _ state: LedgerState, in ledger: LedgerReader, _ configuration: Configuration,
    _ context: CommandContext
  ) async throws -> Int? {
    guard let account = state.account(of: user), state.hasLateFacts(account) else { return 0 }
    let context = try await context.inTime(of: ledger)
    return try await context.waitingDays(
      of: user, in: ledger, configuration, "rewards balance")?.count
  }

  private static func text(of balance: Balance, waiting: Int?) -> String {
    let streak = balance.streak
    var table = TextTable(["user", balance.user])
    table.add(["points", "\(balance.points)"])
    table.add(["exp", "\(balance.exp) within the level"])
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
