/// The lengths of the users' current streaks.
struct StreakSection: AuditPageSection {
  static let id = "streaks"
  static let title = "Streaks"

  /// The starts of the groups of lengths: single lengths first, then ever larger groups.
  private static let starts: [Int32] = [
    0, 1, 2, 3, 4, 5, 6, 7, 10, 14, 21, 30, 60, 90, 180, 365,
  ]

  let streaks: [Int32: Int]

  func write<Failure>(to put: (HTML) throws(Failure) -> Void) throws(Failure) {
    guard streaks.values.contains(where: { $0 > 0 }) else {
      return try put("<p class=\"nothing\">No user has a streak yet.</p>\n")
    }
    try put(
      BarTable(
        caption: "Users by the length of their current streak; longer ones are grouped",
        headings: ("Days", "Users"),
        rows: Self.groups(of: streaks).map { BarTable.Row(name: "\($0.name)", count: $0.users) }
      ).html)
  }

  /// Returns the groups up to the longest streak, with the number of users in each.
  static func groups(of streaks: [Int32: Int]) -> [(name: String, users: Int)] {
    var users = [Int](repeating: 0, count: starts.count)
    for (length, count) in streaks {
      users[starts.lastIndex { $0 <= length } ?? 0] += count
    }
    let last = users.lastIndex { $0 > 0 } ?? 0
    return (0...last).map { index in
      let start = starts[index]
      guard index + 1 < starts.count else { return ("\(start) and more", users[index]) }
      let end = starts[index + 1] - 1
      return (end == start ? "\(start)" : "\(start)–\(end)", users[index])
    }
  }
}
