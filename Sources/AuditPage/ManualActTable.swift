import CivilTime

/// The newest acts by hand, one per row: what, how much, why and by whom.
struct ManualActTable {
  let acts: ManualActs

  /// The folded table; empty if there are no acts.
  var html: HTML {
    let newest = acts.newest
    if newest.isEmpty { return "" }
    let rows = newest.map { act -> HTML in
      """
      <tr><td class="number">\(act.seq)</td><td><time>\(act.at.description)</time></td>\
      <th scope="row">\(name: act.what)</th><td>\(name: act.subject)</td>\
      <td>\(name: act.content)</td><td>\(name: act.reason)</td><td>\(name: act.actor)</td></tr>

      """
    }
    let isCut = newest.count == ManualActs.limit
    return """
      <details class="values" open><summary>\(isCut ? "The newest acts" : "Each act")</summary>
      <div class="scroll" role="region" aria-label="Acts by hand" tabindex="0"><table>
      <caption>\(isCut ? "The newest \(newest.count) acts by hand" : "All acts by hand"), newest first; rewards ledger export --manual prints all</caption>
      <thead><tr><th scope="col" class="number">Line</th><th scope="col">When</th>\
      <th scope="col">Act</th><th scope="col">On what</th><th scope="col">How much</th>\
      <th scope="col">Why</th><th scope="col">Who</th></tr></thead>
      <tbody>
      \(rows.joined())</tbody></table></div></details>

      """
  }
}
