import AuditPage
import Engine
import Operations
import RewardRules
import Scheduling

/// Formats a plan for people.
enum BackfillText {
  /// How many users are shown; the rest are only counted.
  private static let userLimit = 100
  /// How many issues are shown; the rest are only counted.
  private static let issueLimit = 40

  static func text(of plan: BackfillPlan, file: String, _ style: TextStyle) -> String {
    let days = plan.order.days.map { " for \($0.lowerBound) to \($0.upperBound)" } ?? ""
    let head = "plan \(plan.id)\(days), made on \(plan.head)\n"
    let remark = days.isEmpty ? "" : SimulationText.remark
    guard plan.totals.records > 0 else {
      return head + "nothing to do: no closed day would change\n"
    }
    var table = TextTable(
      [.init("USER"), .init("RECORDS", .number)] + RewardUnit.columns
        + [.init("ITEMS", .number), .init("STREAK NOW")])
    for user in plan.users.prefix(userLimit) {
      table.add([user.user] + cells(user.totals) + [streak(of: user)])
    }
    let more = plan.users.count - userLimit
    if more > 0 {
      table.add(["\(more) more", ""] + RewardUnit.columns.map { _ in "" } + ["", ""])
    }
    table.add(["all"] + cells(plan.totals) + [""])
    let totals = plan.totals
    let kinds =
      "\(totals.grants) grants, \(totals.adjustments) adjustments, \(totals.waivers) waivers\n"
    let given = plan.pointsGiven
    let sums =
      "net \(totals.amounts.text)"
      + (given == totals.amounts.points
        ? "\n" : "; --max-points counts the \(given) points given, without those taken\n")
    let running =
      OpenDayText.text(of: plan.openDays).map {
        "when it is applied, \($0) on days that are not closed, and no waiver covers it\n"
      } ?? ""
    return head + remark + table.text(style) + kinds + sums + running + issues(plan)
      + "written to \(file); rewards backfill --apply \(file) appends it\n"
  }

  private static func cells(_ totals: RecordTotals) -> [String] {
    ["\(totals.records)"] + totals.amounts.cells + ["\(totals.items)"]
  }

  private static func streak(of user: BackfillPlan.User) -> String {
    guard let before = user.streakBefore, let after = user.streakAfter else { return "-" }
    return before == after ? "\(before)" : "\(before) -> \(after)"
  }

  private static func issues(_ plan: BackfillPlan) -> String {
    let lines = plan.users.flatMap { user in
      user.issues.map { issue in
        // What a user loses in all is known only after the last closed day.
        let isPlanned = plan.order.days?.contains(issue.day) ?? true
        return "\(issue.severity.rawValue): \(user.user)\(isPlanned ? " \(issue.day)" : ""): "
          + "\(issue.text)\n"
      }
    }
    let more = lines.count - issueLimit
    return lines.prefix(issueLimit).joined()
      + (more > 0 ? "and \(more) more, all in the file\n" : "")
  }
}
