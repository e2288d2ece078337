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

/// Shows what everybody has. With one user it is a former way to ask for part of what ``UserCommand`` shows.
struct BalanceCommand: Command {
  static let spec = CommandSpec(
    "balance", "show everybody's points, exp, level, coins, items and streak, with control totals",
    isPaged: true,
    details: """
      With --at it counts everything recorded before that instant, from the ledger's
      first record on. Without it, it continues from the newest snapshot, which rewards
      audit compares with the ledger. Neither checks seals: rewards ledger verify does.
      """,
    arguments: [
      .init(
        "USER", isOptional: true, subject: .user,
        help: "show this user's balance alone; rewards user shows more")
    ],
    options: [
      .init("at", "INSTANT", help: "show how it stood then"),
      .init(
        "all", help: "everybody, including users who have left; the last line holds the totals"),
      .init("csv", help: "with --all: print comma-separated values"),
    ],
    examples: [
      .init("rewards balance --all", "what everybody has now"),
      .init(
        "rewards balance --all --at 2026-11-01T00:00:00Z --csv",
        "everybody's balance for an accountant; the totals are those of the ledger"),
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
        .usage,
        "pass --all for everybody's balance, with --csv for a table; rewards user ID shows one user's"
      )
    }
    let ledger = try await LedgerReading.open(configuration.directory)
    let state = try await StateReading.read(ledger, of: user, at: at)
    guard let balance = state.balance(of: user) else {
      throw Failure.unknownUser(user)
    }
    context.remark(FormerName.remark(on: "balance USER", now: "user USER"))
    let waiting =
      at == nil
      ? try await context.waitingCount(
        of: user, state, in: ledger, configuration, "rewards balance") : nil
    context.report((balance, waiting), as: output) {
      UserText.text([["user", user]] + UserText.rows(of: balance, waiting: waiting), context.style)
    }
    return .done
  }

  private static func showAll(
    _ arguments: ParsedArguments, _ configuration: Configuration, at: Instant?,
    _ context: CommandContext
  ) async throws -> ExitCode {
    guard arguments.argument(0) == nil else {
      throw Failure(.usage, "pass either USER or --all")
    }
    let table = BalanceListing(
      try await StateReading.read(LedgerReading.open(configuration.directory), at: at))
    if arguments.has("csv") {
      context.environment.output.write(table.csv)
      return .done
    }
    context.report(table, as: BalanceListing.output) {
      table.text(context.style)
    }
    return .done
  }
}
