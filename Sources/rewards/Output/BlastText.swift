import Operations
import Scheduling
import StrictJSON

/// What hangs on a set of grants, for people and for programs.
enum BlastText {
  static func text(of radius: BlastRadius) -> String {
    "\(count(radius.direct.reversals, "grant")) of \(count(radius.users, "user"))\n" + sums(radius)
  }

  /// The sums and what follows, a line each; what is nothing is left out.
  static func sums(_ radius: BlastRadius) -> String {
    var lines = [line("directly", radius.direct)]
    if radius.following.records > 0 { lines.append(line("what follows", radius.following)) }
    if radius.levels > 0 { lines.append("level rewards among them: \(radius.levels)") }
    if radius.items > 0 { lines.append("items that users lose: \(radius.items)") }
    if radius.settledUsers > 0 {
      lines.append("users whose boosters or items change: \(radius.settledUsers)")
    }
    if radius.spared > 0 { lines.append("users kept from falling below zero: \(radius.spared)") }
    for (sink, grants) in radius.told where grants > 0 {
      lines.append("\(sink) was told of \(count(grants, "of these grants", "of these grants"))")
    }
    return lines.map { "  \($0)\n" }.joined()
  }

  static func write(_ radius: BlastRadius, to json: inout JSONWriter) {
    json.member("users", radius.users)
    json.object("direct") { write(radius.direct, to: &$0) }
    json.object("following") { write(radius.following, to: &$0) }
    json.member("levels", radius.levels)
    json.member("items", radius.items)
    json.member("boostersOrItems", radius.settledUsers)
    json.member("spared", radius.spared)
    json.objects("told", radius.told) { json, sink in
      json.member("sink", sink.sink)
      json.member("grants", sink.grants)
    }
  }

  private static func write(_ totals: BackfillTotals, to json: inout JSONWriter) {
    json.member("records", totals.records)
    json.member("points", totals.points)
    json.member("exp", totals.exp)
    json.member("coins", totals.coins)
    json.member("items", totals.items)
  }

  private static func line(_ what: String, _ totals: BackfillTotals) -> String {
    "\(what): \(count(totals.records, "record")), \(totals.points) points, \(totals.exp) exp, "
      + "\(totals.coins) coins, \(totals.items) items"
  }

  private static func count(_ count: Int, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? one + "s")"
  }
}
