import Operations
import RewardRules

/// Formats what users would lose on days that are not closed, for people.
enum OpenDayText {
  /// Returns how many users would lose how much, as `2 users lose 20 points, 1 item`; nil where nobody would lose anything.
  static func text(of sums: OpenDaySums) -> String? {
    if sums.users == 0 { return nil }
    var parts = sums.amounts.shortText.map { [$0] } ?? []
    if sums.items > 0 { parts.append(Counted.text(sums.items, "item")) }
    if sums.boosters > 0 { parts.append("time of \(Counted.text(sums.boosters, "booster"))") }
    let verb = sums.users == 1 ? "loses" : "lose"
    return "\(Counted.text(sums.users, "user")) \(verb) \(parts.joined(separator: ", "))"
  }
}
