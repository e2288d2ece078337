/// The punctuality of the jobs.
struct JobSection: AuditPageSection {
  static let id = "jobs"
  static let title = "Jobs"

  let jobs: [AuditFigures.Job]

  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    guard !jobs.isEmpty else { return try put("<p class=\"nothing\">There are no jobs.</p>\n") }
    let headings = ["Runs", "Late", "Median", "Worst", "Missed", "Failed", "Skipped"]
    let columns = headings.map { "<th scope=\"col\" class=\"number\">\($0)</th>" as HTML }
    try put(
      """
      <div class="scroll" role="region" aria-label="Job runs" tabindex="0"><table>
      <caption>Runs of each job; the median and the worst lateness count late runs only, and the \
      bar shows the worst</caption>
      <thead><tr><th scope="col">Job</th>\(columns.joined())\
      <td class="bar"></td></tr></thead>
      <tbody>
      \(jobs.map(row).joined())</tbody></table></div>

      """)
  }

  private func row(_ job: AuditFigures.Job) -> HTML {
    let worst = jobs.compactMap(\.worstLateSeconds).max() ?? 0
    return """
      <tr><th scope="row">\(name: job.name)</th><td class="number">\(grouped: job.runs)</td>\
      \(count(job.late, isBad: false))\(lateness(job.medianLateSeconds))\
      \(lateness(job.worstLateSeconds))\(count(job.missed, isBad: true))\
      \(count(job.failed, isBad: true))\(count(job.skipped, isBad: false))\
      <td class="bar">\(BarTable.bar(Double(job.worstLateSeconds ?? 0), of: Double(worst)))</td></tr>

      """
  }

  private func count(_ count: Int, isBad: Bool) -> HTML {
    "<td class=\"number\(count == 0 ? " none" : isBad ? " bad" : "")\">\(grouped: count)</td>"
  }

  private func lateness(_ seconds: Int64?) -> HTML {
    guard let seconds else { return "<td class=\"number none\">–</td>" }
    return "<td class=\"number\">\(NumberText.duration(seconds: seconds))</td>"
  }
}
