import AuditPage
import CivilTime
import Configuration
import Described
import Failures
import Foundations
import LedgerDatabase
import Operations
import StrictJSON

/// Checks everything that can be checked.
struct AuditCommand: Command {
  static let spec = CommandSpec(
    "audit", "prove that every grant is right; exits 1 if it finds anything", isPaged: true,
    details: """
      Checks seals, schema and keys; derives every grant of a closed day again from evidence
      and rules; checks streaks, levels, draws, sums of closes, adjustments, deliveries, job
      runs, snapshots, outliers and grants by hand. With --balances it also compares the
      balances of another system. It changes no record and may run beside a service. --from
      and --to are local days: findings about other days are left out. A record counts for
      the day that it is about, whenever it was recorded. Only closed days are judged; the
      result names the first and the last of them. Days of which none is closed do not pass.

      --coins-from-api fetches each user's cheer coins (route 198 of the app's API), as
      politely as the service polls, and compares them like --balances. Users also buy and
      spend coins in the app: a difference shows where to look, not who is wrong.

      --against store reads each user's document in the app's store (a sink of the kind
      firestore) and compares it with the ledger: agrees, pending (still to be written),
      missed, unexplained (nobody told the ledger), absent, stopped or unread. It corrects
      nothing: rewards relay replay --user does. The nightly audit of serve does the same.

      --heads holds the ledger against every head that has left the house, so that nobody can
      seal its history anew: what a sink with the events day.closed was sent (rewards help
      relay), as a file or at an address.

      An audit of all days that passes notes how far everything is proved, in state/audit.
      --since last continues from there: it proves the chain, and judges what is new and
      what that affects. It proves a segment again if the file was changed. Only a full
      audit finds a segment that has decayed on disk, so run one every week. A note that
      does not fit the ledger is refused.

      In a database it audits one shard after another, and then checks that they fit
      together: every user in the right shard, the same rules for the same days, closes as
      the shards published them, and no shard missing.
      """,
    options: [
      .init(
        "since", "last", choices: ["last"],
        help: "check only what came after the last audit that passed")
    ] + RangeOptions.days(first: "the first local day", last: "the last local day") + [
      .init(
        "balances", "FILE",
        help:
          "compare these balances: JSON lines {\"user\",\"points\"?,\"exp\"?,\"coins\"?}, or a table (CSV)"
      ),
      .init("coins-from-api", help: "compare every user's coins with the app's API (route 198)"),
      .init(
        "against", "store", choices: ["store"],
        help: "compare every user's document in the app's store"),
    ] + HeadArgument.options + [
      .init("html", "FILE", help: "also write a page with figures, plots and all findings")
    ],
    examples: [
      .init("rewards audit", "audit everything"),
      .init("rewards audit --since last", "audit what came after the last one"),
      .init("rewards audit --html audit.html", "write a page as well"),
      .init(
        "rewards audit --balances shop.csv --html audit.html",
        "also compare the shop's balances, a table whose first row is user,points"),
    ])

  /// Uses all ledgers at once, except for options that concern only one.
  static func shards(_ arguments: ParsedArguments) -> ShardUse {
    arguments.has("html") || arguments.has("head") ? .each : .all
  }

  static var outputs: [JSONShape] { [AuditText.output.shape, AuditText.sharedOutput.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    context.shards > 1
      ? try await runOnAll(arguments, in: context)
      : try await runOnOne(arguments, in: context).code
  }

  /// Audits every ledger of a database, then compares them. A ledger that cannot be audited does not stop the others.
  private static func runOnAll(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    // Read the heads before the ledgers, which may grow meanwhile.
    let database = try context.requireDatabase()
    let told = try await DatabaseCloses.publishedCloses(database)
    let heads = try await database.run { try ShardStatus.all($0).map { Int($0.shard) } }
    var standings: [ShardStanding] = []
    var codes: [ExitCode] = []
    for shardID in (0..<context.shards).map({ ShardID($0, of: context.shards) }) {
      var own = context.with(shardID)
      own.showsShard = true
      let (code, failure) = await ShardedCommand.attempt(at: shardID) { [own] in
        let (code, standing) = try await runOnOne(
          arguments, in: own, hasRow: heads.contains(shardID.number))
        if let standing { standings.append(standing) }
        return code
      }
      failure.map(context.complain)
      codes.append(code)
    }
    let report = ShardComparison(
      standings, of: context.shards, heads: heads, told: told,
      days: try DayArgument.range(arguments)
    ).report
    context.report((context.shards, report), as: AuditText.sharedOutput) {
      "all \(context.shards) shards:\n" + AuditText.text(of: report, context.style)
    }
    codes.append(report.needsAttention ? .attention : .done)
    return ShardedCommand.worst(of: codes) ?? .done
  }

  /// Audits one ledger. For one of several, also returns its standing, if that could be read. A ledger whose row is gone has no head to be
  /// checked against; the comparison of all ledgers reports that.
  private static func runOnOne(
    _ arguments: ParsedArguments, in context: CommandContext, hasRow: Bool = true
  ) async throws -> (code: ExitCode, standing: ShardStanding?) {
    let configuration = try context.configuration()
    let context = try await context.inTimeOfLedger(configuration)
    let days = try DayArgument.range(arguments)
    let outside = try await outside(arguments, configuration, in: context)
    let stores = try await stores(arguments, configuration, in: context)
    let audit = Audit(
      configuration, context.runtimeEnvironment("rewards audit"), days: days, outside: outside,
      heads: hasRow ? try await HeadArgument.read(arguments, in: context, configuration) : [],
      stores: stores, sinceLast: try isSinceLast(arguments))
    let report: AuditReport
    var standing: ShardStanding?
    if let file = arguments.value("html") {
      let outcome = try await audit.runForPage()
      var bytes: [UInt8] = []
      AuditPage(outcome).write { bytes += $0 }
      try OutputFile.write(bytes, as: .page, to: file, in: context)
      report = outcome.report
    } else {
      (report, standing) = try await audit.runOfShard()
    }
    context.report(report, as: AuditText.output) {
      AuditText.text(of: report, context.style)
        + (arguments.value("html").map { "page: \($0)\n" } ?? "")
    }
    return (report.needsAttention ? .attention : .done, standing)
  }

  /// Returns the outside balances to compare with the ledger.
  private static func outside(
    _ arguments: ParsedArguments, _ configuration: Configuration, in context: CommandContext
  ) async throws -> [OutsideBalance] {
    guard arguments.has("coins-from-api") else {
      return try BalancesArgument.read(arguments, in: context)
    }
    guard arguments.value("balances") == nil else {
      throw Failure(
        .usage, "--balances and --coins-from-api exclude each other",
        remedy: "Leave one out.")
    }
    return try await CoinsFromAPI.read(configuration, context.runtimeEnvironment("rewards audit"))
  }

  /// Returns what the app's stores say, if that was asked for.
  private static func stores(
    _ arguments: ParsedArguments, _ configuration: Configuration, in context: CommandContext
  ) async throws -> [StoreWitness.Report] {
    guard let against = arguments.value("against") else { return [] }
    guard against == "store" else {
      throw Failure(
        .usage, "an audit cannot compare with \(against)", remedy: "Write --against store.")
    }
    let environment = context.runtimeEnvironment("rewards audit")
    let reports = try await StoreWitness.read(configuration, environment)
    if reports.isEmpty {
      throw Failure(
        .configuration, "no sink of the kind firestore is configured",
        remedy: "Configure one: rewards help relay.")
    }
    return reports
  }

  private static func isSinceLast(_ arguments: ParsedArguments) throws -> Bool {
    guard let since = arguments.value("since") else { return false }
    guard since == "last" else {
      throw Failure(
        .usage, "an audit cannot continue from --since \(since)",
        remedy: "Write --since last.")
    }
    for option in ["html", "from", "to", "heads"] where arguments.value(option) != nil {
      throw Failure(
        .usage, "--\(option) is about the past, which --since last leaves out",
        remedy: "Leave one out.")
    }
    return true
  }
}
