import CivilTime

/// How the app's stores have compared with the ledger, audit by audit.
struct StoreSection: AuditPageSection {
  static let id = "stores"
  static let title = "The app's store"

  /// The audits shown: about a month of nights.
  private static let shown = 31
  let stores: [AuditFigures.StoreDrift]

  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    let rows = stores.suffix(Self.shown).reversed()
    let states = rows.first?.states ?? []
    let columns = states.map { state -> HTML in
      "<th scope=\"col\" class=\"number\">\(state)</th>"
    }
    try put(
      """
      <div class="scroll" role="region" aria-label="Documents compared" tabindex="0"><table>
      <caption>Users' documents, compared with the ledger by each audit against the store; points are those that documents have beyond the ledger's</caption>
      <thead><tr><th scope="col">Read</th><th scope="col">Sink</th>\(columns.joined())\
      <th scope="col" class="number">Points</th></tr></thead>
      <tbody>
      \(rows.map { row($0, states) }.joined())</tbody></table></div>

      """)
  }

  private func row(_ drift: AuditFigures.StoreDrift, _ states: [String]) -> HTML {
    let counts = Dictionary(zip(drift.states, drift.counts)) { $1 }
    let cells = states.map { state -> HTML in
      let count = counts[state] ?? 0
      let idle: HTML = count == 0 ? " none" : ""
      return "<td class=\"number\(idle)\">\(grouped: count)</td>"
    }
    return """
      <tr><th scope="row">\(drift.at.description)</th><td>\(name: drift.sink)</td>\(cells.joined())\
      <td class="number">\(grouped: drift.points)</td></tr>

      """
  }
}
