import Described
import Engine
import Operations
import RewardRules
import Scheduling

/// Formats what depends on a set of grants, for people and for programs.
enum ImpactText {
  static func text(of impact: Impact) -> String {
    "\(Counted.text(impact.direct.reversals, "grant")) of \(Counted.text(impact.users, "user"))\n"
      + sums(impact)
  }

  /// Returns the sums and the consequences, one per line; leaves out what is nothing.
  static func sums(_ impact: Impact) -> String {
    var lines = [line("directly", impact.direct)]
    if impact.following.records > 0 { lines.append(line("what follows", impact.following)) }
    if impact.levels > 0 { lines.append("level rewards among them: \(impact.levels)") }
    if impact.items > 0 { lines.append("items that users lose: \(impact.items)") }
    if impact.changedHoldings > 0 {
      lines.append("users whose boosters or items change: \(impact.changedHoldings)")
    }
    if impact.spared > 0 { lines.append("users kept from falling below zero: \(impact.spared)") }
    if let text = OpenDayText.text(of: impact.openDays) {
      lines.append("besides, \(text) on days that are not closed")
    }
    for (sink, grants) in impact.told where grants > 0 {
      lines.append(
        "\(sink) has received \(Counted.text(grants, "of these grants", "of these grants"))")
    }
    return lines.map { "  \($0)\n" }.joined()
  }

  /// The impact for programs.
  static let output = JSONMembers<Impact> {
    $0.add("users", \.users)
    $0.object("direct", \.direct, "what is taken", of: list)
    $0.object("following", \.following, "what depends on it", of: list)
    $0.add("levels", \.levels)
    $0.add("items", \.items)
    $0.add("boostersOrItems", \.changedHoldings)
    $0.add("spared", \.spared, "users who would have gone below zero")
    $0.add("runningDaysLose", \.openDays)
    $0.list("told", \.told) {
      $0.add("sink", \.sink)
      $0.add("grants", \.grants)
    }
  }

  private static func list(_ totals: inout JSONMembers<RecordTotals>) {
    totals.add("records", \.records)
    totals.include(\.amounts)
    totals.add("items", \.items)
  }

  private static func line(_ what: String, _ totals: RecordTotals) -> String {
    "\(what): \(Counted.text(totals.records, "record")), \(totals.amounts.text), "
      + "\(totals.items) items"
  }
}
