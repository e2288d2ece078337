import CivilTime
import Evidence
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// Formats the report of a reconciliation.
enum ReconcileText {
  /// Returns the report for people.
  ///
  /// Without `tellsDeferred`, it leaves out closes that wait for other shards, because another round follows.
  static func text(of report: ReconcileReport, tellsDeferred: Bool = true) -> String {
    var text = ""
    if !report.closed.isEmpty {
      // Most rules give no coins.
      let hasCoins = report.closed.contains { $0.amounts.coins != 0 }
      var table = TextTable(
        ["CLOSED", "ZONE", "USERS", "POINTS", "EXP"] + (hasCoins ? ["COINS"] : [])
          + ["UNKNOWN", "BROKEN"],
        [.left, .left] + Array(repeating: .right, count: hasCoins ? 6 : 5))
      for day in report.closed {
        table.add(
          [
            day.close.window.day.description, day.close.zone, "\(day.users)",
            "\(day.amounts.points)", "\(day.amounts.exp)",
          ] + (hasCoins ? ["\(day.amounts.coins)"] : [])
            + ["\(day.unknown)", "\(day.broken)"])
      }
      text += table.text
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
        ? "too many had failed before; look again when the API is well"
        : "rewards doctor finds out why"
      text += "\(count) looks failed: \(cause); \(remedy)\n"
    }
    for (count, what) in [
      (report.rejectedLines, "lines of the inbox were rejected; see inbox/rejected"),
      (report.lateEvidence, "activities came for closed days"),
      (report.counts.refused, "answers or grants were refused; the ledger says why"),
    ] where count > 0 {
      text += "\(count) \(what)\n"
    }
    if report.waitingDays.count > 0 {
      text += "\(report.waitingDays.text) for a backfill: rewards backfill --plan plan.json\n"
    }
    if let second = report.secondRun {
      text +=
        second == 0
        ? "proved: a second run appends nothing\n"
        : "NOT proved: a second run would append \(second) records\n"
    }
    return text
      + "\(report.counts.grants) grants, \(report.counts.amounts.text(showing: .points, .exp)), "
      + "\(report.unknown) unknown, \(report.counts.appended) records appended\n"
  }

  /// Writes the report for programs.
  static func write(_ report: ReconcileReport, to json: inout JSONWriter) {
    json.objects("closed", report.closed) { json, day in
      json.member("zone", day.close.zone)
      json.member("day", day.close.window.day.description)
      json.member("users", day.users)
      day.amounts.writeMembers(to: &json)
      json.member("broken", day.broken)
      json.member("unknown", day.unknown)
    }
    json.objects("waiting", report.waiting) { json, waiting in
      json.member("zone", waiting.close.zone)
      json.member("day", waiting.close.window.day.description)
      json.member("objection", waiting.objection)
    }
    if let doubt = report.clockDoubt { json.member("clockDoubt", doubt) }
    if !report.deferred.isEmpty {
      json.objects("deferred", report.deferred) { json, deferred in
        json.member("zone", deferred.close.zone)
        json.member("day", deferred.close.window.day.description)
        json.member("shards", deferred.shards)
      }
    }
    json.member("grants", report.counts.grants)
    report.counts.amounts.writeMembers(to: &json)
    json.member("unknown", report.unknown)
    json.member("appended", report.counts.appended)
    json.member("users", report.users)
    json.member("refused", report.counts.refused)
    json.member("rejectedLines", report.rejectedLines)
    json.member("lateEvidence", report.lateEvidence)
    json.member("waitingDays", report.waitingDays.count)
    json.object("failedLooks") { json in
      for (cause, count) in report.failedLooks.sorted(by: { $0.key < $1.key }) {
        json.member(cause, count)
      }
    }
    json.member("problems", report.problems)
    if let second = report.secondRun {
      json.object("proof") { json in
        json.member("passed", second == 0)
        json.member("wouldAppend", second)
      }
    }
  }
}
