/// The progress of deliveries to sinks.
struct DeliverySection: AuditPageSection {
  static let id = "deliveries"
  static let title = "Deliveries"

  let sinks: [AuditFigures.Sink]

  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    guard !sinks.isEmpty else { return try put("<p class=\"nothing\">There are no sinks.</p>\n") }
    try put(
      """
      <div class="scroll" role="region" aria-label="Grants delivered" tabindex="0"><table>
      <caption>Grant records, including adjustments and waivers, that each sink has received; the bar shows their share of all</caption>
      <thead><tr><th scope="col">Sink</th><th scope="col" class="number">Delivered</th>\
      <th scope="col" class="number">Waiting</th>\
      <th scope="col" class="number">Oldest waiting</th><td class="bar"></td></tr></thead>
      <tbody>
      \(sinks.map(row).joined())</tbody></table></div>

      """)
  }

  private func row(_ sink: AuditFigures.Sink) -> HTML {
    let delivered = Double(sink.delivered)
    let age = sink.oldestWaitingSeconds.map { NumberText.duration(seconds: $0) } ?? "–"
    let isIdle: HTML = sink.waiting == 0 ? " none" : ""
    return """
      <tr><th scope="row">\(name: sink.name)</th>\
      <td class="number">\(grouped: sink.delivered)</td>\
      <td class="number\(isIdle)">\(grouped: sink.waiting)</td>\
      <td class="number\(isIdle)">\(age)</td>\
      <td class="bar">\(BarTable.bar(delivered, of: delivered + Double(sink.waiting)))</td></tr>

      """
  }
}
