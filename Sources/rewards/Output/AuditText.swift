import AuditPage
import CivilTime
import StrictJSON

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
      for finding in check.findings.prefix(shown) { text += "            \(line(of: finding))\n" }
      if check.found > shown { text += "            and \(check.found - shown) more\n" }
      if check.found > 0, let remedy = AuditRemedy.text(ofCheck: check.id) {
        text += "            Try: \(remedy)\n"
      }
    }
    guard report.waiting.count > 0 else {
      return text + (report.passed ? "the audit passed\n" : "the audit did NOT pass\n")
    }
    return text
      + (report.passed ? "the audit passed, but " : "the audit did NOT pass, and ")
      + "\(report.waiting.text) for facts that came late: rewards backfill --plan plan.json plans them\n"
  }

  private static func line(of finding: AuditReport.Finding) -> String {
    let place = [
      finding.seq.map { "seq \($0)" }, finding.key, finding.key == nil ? finding.user : nil,
      finding.key == nil ? finding.day?.description : nil,
    ].compactMap { $0 }.joined(separator: " ")
    return place.isEmpty ? finding.text : "\(place): \(finding.text)"
  }

  static func write(_ report: AuditReport, to json: inout JSONWriter) {
    json.member("passed", report.passed)
    json.member("waiting", report.waiting.count)
    json.member("waitingSince", report.waiting.since?.description)
    json.objects("checks", report.checks) { json, check in
      json.member("id", check.id)
      json.member("name", check.name)
      json.member("passed", check.passed)
      json.member("examined", check.examined)
      json.member("found", check.found)
      json.member("leftOut", check.leftOut)
      json.member("note", check.note)
      json.objects("findings", check.findings) { json, finding in
        json.member("text", finding.text)
        if let seq = finding.seq { json.member("seq", seq) }
        json.member("key", finding.key)
        json.member("user", finding.user)
        json.member("day", finding.day?.description)
      }
    }
  }
}
