import CivilTime
import RewardRules

/// What people gave, by month, door and person, beside what evidence gave.
struct HandSection: AuditPageSection {
  static let id = "hand"
  static let title = "Given by hand"

  /// The number of rows shown; older ones are only counted.
  private static let shown = 200
  /// The largest share of a limit that is shown as such, for limits of nothing.
  private static let mostShare = 1e6

  let given: GivenByHand

  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    if given.isEmpty {
      return try put("<p class=\"nothing\">Nobody has given anything by hand.</p>\n")
    }
    try put(table)
    let hidden = given.rows.count - Self.shown
    if hidden > 0 {
      let older = NumberText.counted(hidden, "older row")
      try put("<p class=\"note\">\(older) not shown: rewards audit --format json.</p>\n")
    }
    if !given.receivers.isEmpty { try put(receivers) }
  }

  /// The rows of the newest months.
  private var table: HTML {
    var rest = Self.shown
    let rows = given.months.map { month -> HTML in
      let shown = month.rows.prefix(rest)
      rest -= shown.count
      if shown.isEmpty { return "" }
      return "\(shown.map(Self.row).joined())\(Self.evidenceRow(month.month, month.evidence))"
    }
    return """
      <div class="scroll" role="region" aria-label="Given by hand" tabindex="0"><table>
      <caption>What people gave, by the month (UTC) of the records; evidence is what grants gave without \
      anybody's hand, for activities that a person handed in, too. Plans are the sum of what they gave and took</caption>
      <thead><tr><th scope="col">Month</th><th scope="col">Door</th><th scope="col">Who</th>\
      <th scope="col" class="number">Records</th><th scope="col" class="number">Users</th>\
      \(Self.heads)<th scope="col">Also</th><th scope="col">Agreed by two</th></tr></thead>
      <tbody>
      \(rows.joined())</tbody></table></div>

      """
  }

  private static func row(_ row: GivenByHand.Row) -> HTML {
    let who: HTML = row.place.who.map { "\(name: $0)" } ?? "not recorded"
    return """
      <tr><td>\(GivenByHand.text(ofMonth: row.place.month))</td>\
      <th scope="row">\(row.place.door.title)</th><td>\(who)</td>\
      \(number(row.sums.records))\(number(Int64(row.users)))\(cells(row.sums.amounts))\
      <td>\(row.sums.rest)</td><td>\(row.agreement)</td></tr>

      """
  }

  private static func evidenceRow(_ month: Day, _ evidence: Amounts) -> HTML {
    """
    <tr><td>\(GivenByHand.text(ofMonth: month))</td><th scope="row">evidence</th><td></td>\
    <td class="number none">–</td><td class="number none">–</td>\(cells(evidence))\
    <td></td><td></td></tr>

    """
  }

  /// The users who got the most, beside the most that one person may give.
  private var receivers: HTML {
    let rows = given.receivers.map { receiver -> HTML in
      """
      <tr><th scope="row">\(name: receiver.user)</th>\
      <td>\(GivenByHand.text(ofMonth: receiver.month))</td><td>\(receiver.sums.text)</td>\
      <td>\(receiver.limit.text)</td>\
      <td class="number">\(NumberText.share(of: min(receiver.share, Self.mostShare), in: 1))</td></tr>

      """
    }
    return """
      <h3>Users who got the most</h3>
      <div class="scroll" role="region" aria-label="Users who got the most by hand" tabindex="0"><table>
      <caption>What users got by hand in a month (UTC) without a second person, compared with the most that \
      one person may give a user then</caption>
      <thead><tr><th scope="col">User</th><th scope="col">Month</th><th scope="col">Got</th>\
      <th scope="col">Limit</th><th scope="col" class="number">Used</th></tr></thead>
      <tbody>
      \(rows.joined())</tbody></table></div>

      """
  }

  private static var heads: HTML {
    RewardUnit.allCases.map { "<th scope=\"col\" class=\"number\">\($0.title)</th>" as HTML }
      .joined()
  }

  private static func cells(_ amounts: Amounts) -> HTML {
    RewardUnit.allCases.map { number(amounts[$0]) }.joined()
  }

  private static func number(_ number: Int64) -> HTML {
    "<td class=\"number\(number == 0 ? " none" : "")\">\(grouped: number)</td>"
  }
}
