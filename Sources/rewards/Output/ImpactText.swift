import Engine
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// Formats what depends on a set of grants, for people and for programs.
enum ImpactText {
  static func text(of impact: Impact) -> String {
    "\(count(impact.direct.reversals, "grant")) of \(count(impact.users, "user"))\n" + sums(impact)
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
      lines.append("\(sink) was told of \(count(grants, "of these grants", "of these grants"))")
    }
    return lines.map { "  \($0)\n" }.joined()
  }

  static func write(_ impact: Impact, to json: inout JSONWriter) {
    json.member("users", impact.users)
    json.object("direct") { write(impact.direct, to: &$0) }
    json.object("following") { write(impact.following, to: &$0) }
    json.member("levels", impact.levels)
    json.member("items", impact.items)
    json.member("boostersOrItems", impact.changedHoldings)
    json.member("spared", impact.spared)
    json.object("runningDaysLose") { impact.openDays.writeMembers(to: &$0) }
    json.objects("told", impact.told) { json, sink in
      json.member("sink", sink.sink)
      json.member("grants", sink.grants)
    }
  }

  private static func write(_ totals: RecordTotals, to json: inout JSONWriter) {
    json.member("records", totals.records)
    totals.amounts.writeMembers(to: &json)
    json.member("items", totals.items)
  }

  private static func line(_ what: String, _ totals: RecordTotals) -> String {
    "\(what): \(count(totals.records, "record")), \(totals.amounts.text), "
      + "\(totals.items) items"
  }

  static func count(_ count: Int, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? one + "s")"
  }
}
