import AuditPage
import CivilTime
import Described
import RewardRules

/// Formats what people gave, for people and for programs.
enum GivenByHandText {
  /// The number of the check below which it stands.
  static let check = 15

  /// The number of rows shown; the rest are only counted.
  private static let shown = 12

  /// Returns the newest rows, each line after `indent`; nothing if nobody gave anything.
  static func text(of given: GivenByHand, indent: String, _ style: TextStyle) -> String {
    if given.isEmpty { return "" }
    var table = TextTable(
      ["MONTH", "DOOR", "WHO", "RECORDS", "USERS", "GAVE", "AGREED"],
      [.left, .left, .left, .right, .right, .prose, .prose])
    let rows = given.months.flatMap { month in
      month.rows.map(cells) + [evidenceCells(month.month, month.evidence)]
    }
    for row in rows.prefix(shown) { table.add(row) }
    var inner = style
    inner.columns = style.columns.map { max(0, $0 - indent.count) }
    let text = table.text(inner).split(separator: "\n").map { "\(indent)\($0)\n" }.joined()
    let rest = rows.count - shown
    return rest > 0
      ? "\(text)\(indent)… and \(rest) more: --html FILE, --format json\n" : text
  }

  private static func cells(_ row: GivenByHand.Row) -> [String] {
    [
      GivenByHand.text(ofMonth: row.place.month), row.place.door.title,
      row.place.who ?? "not recorded", "\(row.sums.records)", "\(row.users)", dashed(row.sums.text),
      row.agreement,
    ]
  }

  private static func evidenceCells(_ month: Day, _ amounts: Amounts) -> [String] {
    [
      GivenByHand.text(ofMonth: month), "evidence", "-", "-", "-", dashed(amounts.shortText ?? ""),
      "-",
    ]
  }

  private static func dashed(_ text: String) -> String { text.isEmpty ? "-" : text }

  /// Adds the members of a report; none of them where nobody gave anything.
  static func list(_ report: inout JSONMembers<AuditReport>) {
    report.optionalList(
      "byHand", \.byHand.rows, "what people gave, the newest month first"
    ) {
      $0.add("month", { GivenByHand.text(ofMonth: $0.place.month) }, "of the records, in UTC")
      $0.word("door", among: GivenByHand.Door.allCases.map(\.rawValue)) { $0.place.door.rawValue }
      $0.add("who", \.place.who, "the person or source; null in lines of earlier versions")
      $0.add("users", \.users)
      $0.include(\.sums, as: sums)
      $0.object("agreed", \.agreed, "the part that two people agreed on") {
        $0.include({ $0 }, as: sums)
      }
    }
    report.optionalList(
      "byEvidence", \.byHand.months, "what evidence gave without anybody's hand in the same months"
    ) {
      $0.add("month") { GivenByHand.text(ofMonth: $0.month) }
      $0.include(\.evidence)
    }
    report.optionalList(
      "mostByHand", \.byHand.receivers,
      "the users who got the most in a month without a second person"
    ) {
      $0.add("user", \.user)
      $0.add("month") { GivenByHand.text(ofMonth: $0.month) }
      $0.include(\.sums, as: parts)
      $0.object("limit", \.limit, "the most that one person may give a user in a month") {
        $0.include({ $0 }, as: parts)
      }
    }
  }

  /// What was given.
  private static let parts = JSONMembers<GivenByHand.Sums> {
    $0.include(\.amounts)
    $0.add("items", \.items)
    $0.add("boosterDays", \.boosterDays)
  }

  /// What was given, and by how many records.
  private static let sums = JSONMembers<GivenByHand.Sums> {
    $0.add("records", \.records)
    $0.include({ $0 }, as: parts)
    $0.add("days", \.days, "days of users that were pardoned, or had ended")
  }
}
