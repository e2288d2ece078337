import CivilTime
import Described
import Evidence
import Operations
import RewardRules
import Scheduling

/// Formats the report of a reconciliation.
enum ReconcileText {
  /// Returns the report for people.
  ///
  /// Without `tellsDeferred`, it leaves out closes that wait for other shards, because another round follows.
  static func text(
    of report: ReconcileReport, _ style: TextStyle, tellsDeferred: Bool = true
  ) -> String {
    var text = ""
    if !report.closed.isEmpty {
      let units = RewardUnit.allCases.filter { unit in
        !unit.isRare || report.closed.contains { $0.amounts[unit] != 0 }
      }
      var table = TextTable(
        ["CLOSED", "ZONE", "USERS"] + units.map { $0.rawValue.uppercased() }
          + ["UNKNOWN", "BROKEN"],
        [.left, .left] + Array(repeating: .right, count: units.count + 3))
      for day in report.closed {
        table.add(
          [day.close.window.day.description, day.close.zone, "\(day.users)"]
            + units.map { "\(day.amounts[$0])" } + ["\(day.unknown)", "\(day.broken)"])
      }
      text += table.text(style)
    }
    for (close, objection) in report.waiting {
      text +=
        "\(close.window.day) in \(close.zone) waits: \(objection); if this is right, run rewards reconcile --confirm\n"
    }
    if let doubt = report.clockDoubt {
      text += "no day is closed: \(doubt); \(RuntimeError.clockRemedy)\n"
    }
    for deferred in report.deferred where tellsDeferred {
      text += "\(deferred.text); reconcile there too\n"
    }
    for (cause, count) in report.failedLooks.sorted(by: { $0.key < $1.key }) {
      let remedy =
        cause == FailureCause.circuitOpen.rawValue
        ? "run reconcile again when the API is well" : "rewards doctor finds out why"
      text += "\(Counted.text(count, "poll")) failed: \(Gap.reason(for: cause)); \(remedy)\n"
    }
    for (count, one, many, what) in [
      (report.rejectedLines, "line", "lines", "of the inbox rejected"),
      (report.lateEvidence, "activity", "activities", "came for closed days"),
      (
        report.counts.refused, "answer or grant", "answers or grants",
        "refused; the ledger says why"
      ),
    ] where count > 0 {
      text += "\(Counted.text(count, one, many)) \(what)\n"
    }
    text += report.rejections.map { "  \($0)\n" }.joined()
    if report.waitingDays.count > 0 {
      text += "\(report.waitingDays.text) for a backfill: rewards backfill --plan plan.json\n"
    }
    if let second = report.secondRun {
      text +=
        second == 0
        ? "proved: a second run appends nothing\n"
        : "NOT proved: a second run would append \(Counted.text(second, "record"))\n"
    }
    return text
      + "\(Counted.text(report.counts.grants, "grant")), \(report.counts.amounts.text(showing: .points, .exp)), "
      + "\(report.unknown) unknown\(newcomers(report)), "
      + "\(Counted.text(report.counts.appended, "record")) appended\n"
  }

  /// Returns how much of what is unknown needs no attention, because the users had only just come.
  private static func newcomers(_ report: ReconcileReport) -> String {
    let count = report.unknownOfNewcomers
    if count == 0 { return "" }
    return count == report.unknown
      ? " (all from before new users were known)" : " (\(count) from before new users were known)"
  }

  /// The report for programs.
  static let output = JSONMembers<ReconcileReport> {
    $0.list("closed", \.closed, "of all grants of the day") {
      $0.add("zone", \.close.zone)
      $0.add("day", \.close.window.day)
      $0.add("users", \.users)
      $0.include(\.amounts)
      $0.add("broken", \.broken)
      $0.add("unknown", \.unknown)
    }
    $0.list("waiting", \.waiting, "closes that wait for an operator") {
      $0.add("zone", \.close.zone)
      $0.add("day", \.close.window.day)
      $0.add("objection", \.objection)
    }
    $0.optional("clockDoubt", \.clockDoubt, "why closes wait until somebody confirms the clock")
    $0.optionalList(
      "deferred", \.deferred, "closes that wait until these shards have counted their streaks"
    ) {
      $0.add("zone", \.close.zone)
      $0.add("day", \.close.window.day)
      $0.add("shards", \.shards)
    }
    $0.add("grants", \.counts.grants)
    $0.include(\.counts.amounts)
    $0.add("unknown", \.unknown, "verdicts of what was closed")
    $0.add(
      "unknownOfNewcomers", \.unknownOfNewcomers,
      "those of them that are unknown only because the user came during the day")
    $0.add("appended", \.counts.appended, "records")
    $0.add("users", \.users)
    $0.add("refused", \.counts.refused)
    $0.add("rejectedLines", \.rejectedLines)
    $0.add("rejections", \.rejections, "the first of them, with file and reason")
    $0.add("lateEvidence", \.lateEvidence)
    $0.add(
      "waitingDays", \.waitingDays.count, "user-days of the users at hand that wait for a backfill")
    $0.add("failedLooks", \.failedLooks, "by cause")
    $0.add("problems", \.problems)
    $0.optionalObject("proof", \.secondRun, "with --prove") {
      $0.add("passed") { $0 == 0 }
      $0.add("wouldAppend") { $0 }
    }
  }
}
