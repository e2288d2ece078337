import AuditPage
import CivilTime
import Configuration
import Described
import Failures
import Foundations
import Ledger
import LedgerStore
import Operations
import RewardRules
import StrictJSON

/// Prints the changes to a user's balance.
struct StatementCommand: Command {
  static let spec = CommandSpec(
    "statement", "list what changed a user's balance and why, with the balance before and after",
    isPaged: true, usualDays: 30,
    details: """
      Lists every record that gave or took something and was made on these local days of the
      user: grants, corrections, waivers, reversals, credits, spendings, the opening balance.
      Amounts, items and boosters of one record are lines of their own. Records count by when they were made; DAY is the local day that they are about. rewards user
      and rewards audit go by that day, so their sums of a month may differ. Without a range
      it takes the last 30 days up to today in the user's zone. The balance before, the
      records and the balance after agree; if they do not, it exits 1.
      """,
    arguments: [.user()],
    options: RangeOptions.days(
      first: "the first local day (default: 29 days before the last)",
      last: "the last local day (default: today)") + [
        .init("csv", help: "print comma-separated values, with a row for each balance"),
        .init("html", "FILE", help: "write a self-contained page"),
      ],
    examples: [
      .init("rewards statement 4711", "the last 30 days"),
      .init("rewards statement 4711 --month 2026-11", "a month"),
      .init(
        "rewards statement 4711 --month 2026-11 --html 4711.html", "a page to print or send"),
    ])

  private static let columns: [TablePage.Column] =
    [
      .init("SEQ", .number), .init("RECORDED"), .init("DAY"), .init("WHAT"), .init("KEY"),
    ] + RewardUnit.columns + [.init("ITEMS", .prose), .init("WHY", .prose)]

  private static let output = JSONMembers<Statement> {
    $0.add("user", \.user)
    $0.add("zone", \.zone)
    $0.add("from", \.days.lowerBound)
    $0.add("to", \.days.upperBound)
    $0.add("before", \.before)
    $0.add("after", \.after)
    $0.add(
      "expBefore", { $0.before?.holdings.sum.exp ?? 0 },
      "all exp from before, across levels")
    $0.add("sum", \.sum, "of the entries")
    $0.add("agrees", \.agrees, "whether before and the entries make after")
    $0.list("entries", \.entries) {
      $0.add("seq", \.seq)
      $0.add("at", \.at)
      $0.add("day", \.day)
      $0.add("kind", \.kind)
      $0.add("key", \.key)
      $0.include(\.amounts)
      $0.add("items", \.items)
      $0.add("removedItems", \.removedItems)
      $0.optionalObject("booster", \.booster, "when the booster of a grant runs") {
        $0.add("from", \.from)
        $0.add("until", \.until)
      }
      $0.optional("boosterDays", \.boosterDays, "of a credit")
      $0.add("why", \.why)
    }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let user = arguments.arguments[0]
    guard let days = try DayArgument.range(arguments) else { return .usage }
    let statement = try await Statement.read(
      LedgerReading.open(context.configuration().directory), of: user, days: days,
      zones: context.zones)
    let rows = statement.entries.map(cells)
    let sums = ["", "", "", "all lines", ""] + statement.sum.cells + ["", ""]
    if let file = arguments.value("html") {
      let page = TablePage(
        title: "Statement of \(user), \(days.lowerBound) to \(days.upperBound)",
        lines: [
          "Days of \(statement.zone). Before: \(line(statement.before)). After: \(line(statement.after))."
        ], columns: columns, rows: rows, sums: sums)
      try OutputFile.write(page.bytes, as: .page, to: file, in: context)
    }
    if arguments.has("csv") {
      let balances = [
        ("before", statement.before), ("after", statement.after),
      ].map { name, balance in
        ["", "", "", "balance \(name)", ""] + (balance?.holdings.sum ?? Amounts()).cells
          + [
            balance?.items.joined(separator: " ") ?? "",
            "level \(balance?.level ?? 1) and \(balance?.exp ?? 0)",
          ]
      }
      context.environment.output.write(
        CSVText.text(
          [columns.map { $0.name.lowercased() }, balances[0]]
            + rows.map { $0.map { $0 == "-" ? "" : $0 } } + [balances[1]]))
    } else {
      context.report(statement, as: output) {
        var table = TextTable(columns)
        for row in rows + [sums] { table.add(row) }
        return
          "before: \(line(statement.before))\n"
          + (rows.isEmpty ? "" : table.text(context.style))
          + "after:  \(line(statement.after))\n"
      }
    }
    if statement.agrees { return .done }
    context.complain(
      "the records do not add up from the balance before to the balance after: run rewards audit")
    return .attention
  }

  private static func cells(_ entry: Statement.Entry) -> [String] {
    [
      "\(entry.seq)", "\(entry.at)", entry.day?.description ?? "-", entry.kind,
      entry.key.isEmpty ? "-" : entry.key,
    ] + entry.amounts.cells + [things(entry).joined(separator: " "), entry.why]
  }

  private static func things(_ entry: Statement.Entry) -> [String] {
    entry.items + entry.removedItems.map { "without \($0)" }
      + (entry.booster.map { ["booster \($0.from) to \($0.until)"] } ?? [])
      + (entry.boosterDays.map { ["booster days: \($0)"] } ?? [])
  }

  private static func line(_ balance: Balance?) -> String {
    guard let balance else { return "the ledger did not know the user yet" }
    let units = RewardUnit.allCases.map { unit in
      unit == .exp
        ? "exp \(balance.holdings.sum.exp) (level \(balance.level) and \(balance.exp))"
        : "\(unit.rawValue) \(balance.holdings.text(of: unit))"
    }
    return units.joined(separator: ", ")
      + ", \(balance.items.count) items, streak \(balance.streak.length)"
  }
}
