import AuditPage
import CivilTime
import Described
import Ledger
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// Formats one user, for people and for programs.
enum UserText {
  /// Returns rows of a name and a value each, in aligned columns.
  static func text(_ rows: [[String]], _ style: TextStyle) -> String {
    var table = TextTable(rows[0])
    for row in rows.dropFirst() { table.add(row) }
    return table.text(style)
  }

  /// Returns what is known of a user, as rows.
  static func rows(of account: Account, _ ledger: LedgerState) -> [[String]] {
    var rows = [["user", account.id], ["zone", ledger.zone(of: account)]]
    rows += account.changes.map { ["moves to", "\($0.zone), known since \($0.at)"] }
    rows += [
      ["judged since", account.firstDay.description],
      ["open from", account.boundary.description],
    ]
    if account.isPseudonym { rows.append(["pseudonym", "yes: only the roster names the user"]) }
    if let at = account.forgottenAt {
      rows.append(["forgotten", "\(at)"])
    } else if !account.isPresent {
      rows.append(["removed", "yes"])
    }
    if let stopped = account.stopped { rows.append(["not judged", stopped]) }
    let held = account.heldBack.map { $0.text(user: account.id) }.sorted()
    return rows + held.map { ["held back", $0] }
  }

  /// Returns what a user has, as rows; `waiting` closed days wait for a backfill.
  static func rows(of balance: Balance, waiting: Int?) -> [[String]] {
    let streak = balance.streak
    let amounts = RewardUnit.allCases.flatMap { unit in
      unit == .exp
        ? [
          ["exp", "\(balance.exp) within the level, \(balance.holdings.sum.exp) in all"],
          ["level", "\(balance.level)"],
        ] : [[unit.rawValue, balance.holdings.text(of: unit)]]
    }
    var rows =
      amounts + [
        ["items", balance.items.isEmpty ? "-" : balance.items.joined(separator: " ")],
        ["booster until", balance.boosterUntil?.description ?? "-"],
        [
          "streak",
          "\(streak.length) days, cycle day \(streak.cycleDay), longest \(streak.longest), last \(streak.lastDay?.description ?? "-")",
        ],
      ]
    if let waiting, waiting > 0 {
      rows.append(["waiting", "\(Counted.text(waiting, "day")), for a backfill"])
    }
    return rows
  }

  private static let dayColumns: [TablePage.Column] =
    [
      .init("DAY"), .init("STREAK"), .init("LENGTH", .number),
    ] + RewardUnit.columns + [.init("GRANTED", .prose), .init("NOTES", .prose)]

  private static func cells(_ day: UserTimeline.Entry) -> [String] {
    [
      day.day.description, day.streak ?? "-", day.length.map { "\($0)" } ?? "-",
    ] + day.amounts.cells + [
      day.missions.isEmpty ? "-" : day.missions.keys.sorted().joined(separator: " "),
      day.notes.isEmpty ? "-" : day.notes.joined(separator: "; "),
    ]
  }

  /// Returns days, one a line.
  static func text(of days: [UserTimeline.Entry], _ style: TextStyle) -> String {
    var table = TextTable(dayColumns)
    for day in days { table.add(cells(day)) }
    return table.text(style)
  }

  /// Returns the page of a user's days, below `remarks`.
  static func page(of timeline: UserTimeline, _ remarks: [String]) -> TablePage {
    let days = timeline.days
    let span = "\(days[0].day) to \(days[days.count - 1].day)"
    return TablePage(
      title: "Days of \(timeline.user), \(span)",
      lines: [
        "In \(timeline.zone). For the reasons on one day: rewards explain \(timeline.user) DAY."
      ] + remarks,
      columns: dayColumns, rows: days.map(cells))
  }

  /// What is known of a user, for programs.
  static let user = JSONMembers<(account: Account, ledger: LedgerState)> {
    $0.add("user", \.account.id)
    $0.add("timezone") { $0.ledger.zone(of: $0.account) }
    $0.add("movesTo", \.account.changes.last?.zone)
    $0.add("since", \.account.firstDay)
    $0.add("closedThrough", \.account.closedThrough)
    $0.add("openFrom", \.account.boundary)
    $0.add("removed") { !$0.account.isPresent }
    $0.add("pseudonym", \.account.isPseudonym)
    $0.add("forgotten", \.account.forgottenAt, "since when")
    $0.add("notJudged", \.account.stopped, "why")
    $0.add(
      "heldBack",
      { user in user.account.heldBack.map { $0.text(user: user.account.id) }.sorted() }, "keys")
  }

  /// Days, for programs.
  static let days = JSONMembers<[UserTimeline.Entry]> {
    $0.list("days", { $0 }) {
      $0.add("day", \.day)
      $0.add("streak", \.streak)
      $0.add("length", \.length)
      $0.include(\.amounts)
      $0.add("missions", \.missions)
      $0.add("notes", \.notes)
    }
  }
}
