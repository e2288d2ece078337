/// How many streaks reached each length, including current ones.
struct SurvivalSection: AuditPageSection {
  static let id = "survival"
  static let title = "Streak survival"

  /// The lengths shown.
  private static let milestones: [Int32] = [1, 2, 3, 5, 7, 10, 14, 21, 30, 60, 90, 180, 365]

  let ended: [Int32: Int]
  let running: [Int32: Int]

  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    let rows = Self.survivors(ended: ended, running: running)
    guard !rows.isEmpty else {
      return try put("<p class=\"nothing\">No streak has begun yet.</p>\n")
    }
    let whole = Double(rows[0].count)
    let body = rows.map { row -> HTML in
      """
      <tr><th scope="row">\(row.length)</th><td class="number">\(grouped: row.count)</td>\
      <td class="number">\(NumberText.share(of: Double(row.count), in: whole))</td>\
      <td class="bar">\(BarTable.bar(Double(row.count), of: whole))</td></tr>

      """
    }
    try put(
      """
      <table>
      <caption>Streaks that reached each length; current streaks may still grow</caption>
      <thead><tr><th scope="col">Days</th><th scope="col" class="number">Streaks</th>\
      <th scope="col" class="number">Share</th><td class="bar"></td></tr></thead>
      <tbody>
      \(body.joined())</tbody>
      </table>

      """)
  }

  /// Returns how many streaks reached each length, up to the longest.
  static func survivors(
    ended: [Int32: Int], running: [Int32: Int]
  ) -> [(length: Int32, count: Int)] {
    let all = ended.merging(running, uniquingKeysWith: +).filter { $0.key > 0 && $0.value > 0 }
    guard let longest = all.keys.max() else { return [] }
    return milestones.filter { $0 <= longest }.map { length in
      (length, all.reduce(0) { $0 + ($1.key >= length ? $1.value : 0) })
    }
  }
}
