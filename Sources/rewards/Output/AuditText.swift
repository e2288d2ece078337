import AuditPage
import CivilTime
import Described

/// Formats an audit's report, for people and for programs.
enum AuditText {
  /// How many findings of one check are shown; the rest are only counted.
  private static let shown = 10

  static func text(of report: AuditReport, _ style: TextStyle) -> String {
    var text = ""
    for check in report.checks {
      let state =
        check.leftOut != nil
        ? style.notable("left out") : check.passed ? style.good("passed  ") : style.bad("found   ")
      let what =
        check.leftOut ?? "\(check.examined) examined"
        + (check.found > 0 ? ", \(check.found) found" : "")
      text += "\(state)  \(check.id)  \(check.name): \(what)\n"
      if let note = check.note { text += "            \(note)\n" }
      if check.id == GivenByHandText.check {
        text += GivenByHandText.text(of: report.byHand, indent: "            ", style)
      }
      for finding in check.findings.prefix(shown) { text += "            \(line(of: finding))\n" }
      if check.found > shown { text += "            and \(check.found - shown) more\n" }
      if check.found > 0, let remedy = AuditRemedy.text(ofCheck: check.id) {
        text += "            Try: \(remedy)\n"
      }
    }
    if let coverage = report.coverage {
      text +=
        coverage.isMissed
        ? "NOT audited: \(coverage.text)\n" : "audited: \(coverage.text); up to \(coverage.head)\n"
    }
    guard report.waiting.count > 0 else {
      guard report.passed else { return text + "the audit did NOT pass\n" }
      let isWhole = report.coverage.map { $0.asked == nil || $0.isComplete } ?? true
      return text + "the audit passed\(isWhole ? "" : ", as far as the days are closed")\n"
    }
    return text
      + (report.passed ? "the audit passed, but " : "the audit did NOT pass, and ")
      + "\(report.waiting.text) for a backfill: rewards backfill --plan plan.json\n"
  }

  private static func line(of finding: AuditReport.Finding) -> String {
    let place = [
      finding.seq.map { "seq \($0)" }, finding.key, finding.key == nil ? finding.user : nil,
      finding.key == nil ? finding.day?.description : nil,
    ].compactMap { $0 }.joined(separator: " ")
    return place.isEmpty ? finding.text : "\(place): \(finding.text)"
  }

  /// The report for programs.
  static let output = JSONMembers<AuditReport> {
    $0.add("passed", \.passed)
    $0.add("waiting", \.waiting.count, "user-days that wait for a backfill")
    $0.add("waitingSince", \.waiting.since)
    $0.add("from", \.coverage?.days?.lowerBound, "the first closed local day that it covers")
    $0.add("to", \.coverage?.days?.upperBound, "the last one")
    $0.add(
      "complete", \.coverage?.isComplete, "whether all days asked for are closed for everybody")
    $0.add("open", \.coverage?.open, "users who still have an open day among them")
    $0.add("head", \.coverage?.head, "the seal up to which it read")
    $0.list("checks", \.checks) {
      $0.add("id", \.id)
      $0.add("name", \.name)
      $0.add("passed", \.passed)
      $0.add("examined", \.examined)
      $0.add("found", \.found)
      $0.add("leftOut", \.leftOut, "why it was not made")
      $0.add(
        "note", \.note, "further information, such as sums, or users missing from the other system")
      $0.list("findings", \.findings) {
        $0.add("text", \.text)
        $0.optional("seq", \.seq)
        $0.add("key", \.key)
        $0.add("user", \.user)
        $0.add("day", \.day)
      }
    }
    GivenByHandText.list(&$0)
  }

  /// The report on several ledgers together.
  static let sharedOutput = JSONMembers<(shards: Int, report: AuditReport)> {
    $0.add("shards", \.shards)
    $0.include(\.report, as: output)
  }
}
