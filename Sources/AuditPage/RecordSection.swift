/// The ledger records that findings are about, as written there.
struct RecordSection: AuditPageSection {
  static let id = "records"
  static let title = "Records"

  /// The maximum number of findings that a record links to.
  private static let linkLimit = 5
  /// The number of records in a piece; a full piece is laid out only when it comes into view.
  private static let pieceCount = 50

  /// A finding that a record links to.
  private struct Mention {
    let anchor: HTML
    let name: String
  }

  private let records: [(seq: UInt64, line: String)]
  private let mentions: [UInt64: [Mention]]

  init(records: [UInt64: String], checks: [AuditReport.Check]) {
    self.records = records.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    var mentions: [UInt64: [Mention]] = [:]
    for check in checks {
      for (index, finding) in check.findings.enumerated() {
        guard let seq = finding.seq else { continue }
        mentions[seq, default: []].append(
          Mention(
            anchor: FindingSection.anchor(of: index, in: check),
            name: "\(check.id).\(NumberText.grouped(index + 1))"))
      }
    }
    self.mentions = mentions
  }

  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    let count = NumberText.counted(records.count, "record")
    try put("<p>\(count) of the ledger, named by findings.</p>\n")
    for start in stride(from: 0, to: records.count, by: Self.pieceCount) {
      let piece = records[start..<min(start + Self.pieceCount, records.count)]
      let isFull: HTML = piece.count == Self.pieceCount ? " class=\"full\"" : ""
      try put("<div\(isFull)>\n\(piece.map { article($0.seq, $0.line) }.joined())</div>\n")
    }
  }

  private func article(_ seq: UInt64, _ line: String) -> HTML {
    """
    <article class="record" id="r\(seq)"><h3>Record \(grouped: seq)</h3>\(links(to: seq))
    <pre><code>\(isolated: line)</code></pre></article>

    """
  }

  private func links(to seq: UInt64) -> HTML {
    guard let mentions = mentions[seq] else { return "" }
    let links = mentions.prefix(Self.linkLimit).map { mention -> HTML in
      " <a href=\"#\(mention.anchor)\">\(mention.name)</a>"
    }
    let rest = mentions.count - links.count
    let more: HTML = rest > 0 ? " and \(grouped: rest) more" : ""
    return "<p class=\"note\">Findings\(links.joined())\(more)</p>"
  }
}
