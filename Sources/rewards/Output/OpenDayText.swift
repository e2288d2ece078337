import Operations
import RewardRules

/// What users would lose of days that are not closed, for people.
enum OpenDayText {
  /// The sums; nil where nobody would lose anything.
  static func text(of sums: OpenDaySums) -> String? {
    if sums.users == 0 { return nil }
    var parts = sums.amounts.shortText.map { [$0] } ?? []
    if sums.items > 0 { parts.append(count(sums.items, "item")) }
    if sums.boosters > 0 { parts.append("time of \(count(sums.boosters, "booster"))") }
    return "\(parts.joined(separator: ", ")), of \(count(sums.users, "user"))"
  }

  private static func count(_ count: Int, _ what: String) -> String {
    "\(count) \(what)\(count == 1 ? "" : "s")"
  }
}
