import CivilTime
import Digests
import Engine
import Evidence
import Ledger
import Operations
import RewardRules
import StrictJSON

/// Formats an explanation, for support staff and for programs.
enum ExplainText {
  static func text(of explanation: Explanation, _ missions: [String]) -> String {
    let day = explanation.day
    let window = day.window
    var text =
      "\(explanation.user), \(window.day) in \(window.zone): \(window.start) to \(window.end)"
      + "\(window.isShortened ? ", shortened by a change of zone or by leaving" : "")\n"
      + "\(state(of: explanation)); rules \(day.rules.version), tzdata \(explanation.tzdata)\n"
    let whole = explanation.trace.filter { $0.mission == nil }.dropFirst()
    text += whole.map { "  \($0)\n" }.joined()
    for mission in missions {
      let wouldBe = explanation.wouldBeGranted(mission)
      let since = wouldBe.isEmpty ? "" : " at the close; facts that came since say otherwise"
      text += "\n\(mission): \(verdict(of: mission, day))\(since)\n"
      text += explanation.trace.filter { $0.mission == mission }.map { "  \($0)\n" }.joined()
      // Only for a closed day; for an open day the steps show the gaps.
      for gap in day.isClosed ? explanation.gaps(of: ActivityKind(name: mission)) : []
      where gap.kind.name == mission {
        let what = gap.cause == FailureCause.endless.rawValue ? "hidden" : "nobody looked"
        text += "  \(what) from \(gap.from) to \(gap.to) (\(gap.cause))\n"
      }
      for grant in explanation.grants(of: mission) {
        text += "  in the ledger: \(line(of: grant))\n"
        if let gift = explanation.gift(grant.grant.key) {
          text += "  given by hand: \(gift.reason) (\(gift.actor))\n"
        }
      }
      for (seq, reversal) in explanation.reversals(of: mission) {
        text +=
          "  \(reversal.key) \(reversal.undone ? "given back" : "taken back"): "
          + "\(reversal.reason) (\(reversal.actor), seq \(seq))\n"
      }
      for refused in explanation.heldBack(mission) { text += "  \(refused)\n" }
      if explanation.grants(of: mission).isEmpty { text += "  nothing was granted\n" }
      for grant in wouldBe {
        text += "  would be granted by a backfill: \(line(of: .grant(grant)) ?? grant.key)\n"
      }
    }
    if let waiting = explanation.waiting {
      let shown = Set(missions.flatMap { explanation.wouldBeGranted($0) }.map(\.key))
      let others = waiting.records.filter { body in
        if case .grant(let grant) = body { !shown.contains(grant.key) } else { true }
      }
      let lines = others.compactMap(line).map { "  \($0)\n" }.joined()
      text +=
        "\nthe day waits for a backfill"
        + (lines.isEmpty ? "\n" : ", which would also bring:\n\(lines)")
    }
    return text + "\n" + deliveries(explanation, missions) + remedies(explanation)
  }

  /// Returns commands that deal with what was found, one per line; empty when nothing is to be done.
  private static func remedies(_ explanation: Explanation) -> String {
    let lines = explanation.remedies.map { "  \($0)\n" }.joined()
    return lines.isEmpty ? "" : "\nwhat to do:\n\(lines)"
  }

  private static func state(of explanation: Explanation) -> String {
    if explanation.day.isClosed { return "closed" }
    return explanation.isDayOfLeaving ? "still open, and the user has left" : "still open"
  }

  private static func line(of grant: Explanation.GrantLine) -> String {
    "\(grant.grant.key), \(grant.grant.reward.amounts.text)"
      + "\(extras(of: grant.grant)); "
      + "seq \(grant.seq), seal \(grant.seal.seq), recorded \(grant.at) (\(grant.grant.cause))"
  }

  /// Returns what a grant gives and takes besides amounts.
  private static func extras(of grant: GrantRecord) -> String {
    let booster = grant.reward.booster.map { [", booster from \($0.from) to \($0.until)"] } ?? []
    return
      (grant.reward.items.map { ", \($0)" } + grant.removedItems.map { ", without \($0)" }
      + booster).joined()
  }

  /// Returns what a record of a backfill would change; nil for a record that only says how the user stands after it.
  private static func line(of body: RecordBody) -> String? {
    switch body {
    case .grant(let grant):
      return "\(grant.key), \(grant.reward.amounts.text)\(extras(of: grant))"
    case .streak(let streak):
      return "a streak of \(streak.after.length) days after \(streak.day)"
    case .level(let level): return "level \(level.level)"
    case .refused(let refused): return "\(refused.key ?? ""), held back by the day's limit"
    default: return nil
    }
  }

  private static func deliveries(_ explanation: Explanation, _ missions: [String]) -> String {
    let keys = Set(missions.flatMap { explanation.grants(of: $0) }.map(\.grant.key))
    let wanted = explanation.deliveries.filter { keys.contains($0.key) }
    if wanted.isEmpty { return "no deliveries\n" }
    return wanted.map { delivery in
      let last = delivery.last.map { last in
        " (attempt \(delivery.attempts), \(last.at): \(last.outcome))"
      }
      return "\(delivery.key) \(state(of: delivery)) \(delivery.sink)\(last ?? "")\n"
    }.joined()
  }

  private static func state(of delivery: Explanation.Delivery) -> String {
    if delivery.isDelivered { return "was delivered to" }
    if delivery.isDead { return "was given up for" }
    return delivery.isSkipped ? "was passed over by" : "waits for"
  }

  /// Returns the verdict in the spec's words.
  private static func verdict(of mission: String, _ day: EvaluatedDay) -> String {
    // A grant by a person or a plan needs no evidence.
    if mission == "manual" || mission == "waived" { return "met" }
    if mission == "level" { return day.outcome.levels.isEmpty ? "notMet" : "met" }
    guard mission == "login" else {
      let kind = ActivityKind(name: mission)
      return kind.map { day.facts.verdict($0).name } ?? "unknown"
    }
    switch day.outcome.streakClass {
    case .counted: return "met"
    case .missed: return "notMet"
    case .held, .excused, .pending: return "unknown"
    }
  }

  static func write(
    _ explanation: Explanation, _ missions: [String], to json: inout JSONWriter
  ) {
    let day = explanation.day
    json.member("user", explanation.user)
    json.member("day", day.window.day.description)
    json.member("zone", day.window.zone)
    json.member("start", day.window.start.description)
    json.member("end", day.window.end.description)
    json.member("closed", day.isClosed)
    json.member("waiting", explanation.waiting != nil)
    json.member("rules", day.rules.version)
    json.member("tzdata", explanation.tzdata)
    json.member("remedies", explanation.remedies)
    json.object("missions") { json in
      for mission in missions {
        json.object(mission) { write(mission, explanation, to: &$0) }
      }
    }
    json.object("streak") { json in
      json.member("class", day.outcome.streakClass.rawValue)
      json.object("before") { write(day.outcome.streakBefore, to: &$0) }
      json.object("after") { write(day.outcome.streakAfter, to: &$0) }
    }
    json.objects("deliveries", explanation.deliveries) { json, delivery in
      json.member("sink", delivery.sink)
      json.member("key", delivery.key)
      json.member("seq", delivery.seq)
      json.member("delivered", delivery.isDelivered)
      json.member("dead", delivery.isDead)
      json.member("skipped", delivery.isSkipped)
      json.member("attempts", delivery.attempts)
      json.member("lastAttempt", delivery.last?.at.description)
      json.member("lastOutcome", delivery.last?.outcome)
    }
  }

  private static func write(_ streak: StreakState, to json: inout JSONWriter) {
    json.member("length", streak.length)
    json.member("cycleDay", streak.cycleDay)
  }

  private static func write(
    _ mission: String, _ explanation: Explanation, to json: inout JSONWriter
  ) {
    let day = explanation.day
    let kind = ActivityKind(name: mission)
    json.member("verdict", verdict(of: mission, day))
    json.objects("evidence", explanation.evidence(of: mission == "login" ? nil : kind)) {
      json, line in
      json.member("seq", line.seq)
      json.member("kind", line.evidence.activity.kind.name)
      json.member("from", line.evidence.activity.from.description)
      json.member("to", line.evidence.activity.to.description)
      json.member("source", line.evidence.source.name)
      json.member("observedAt", line.evidence.observedAt.description)
    }
    json.objects("gaps", explanation.gaps(of: mission == "login" ? nil : kind)) { json, gap in
      json.member("kind", gap.kind.name)
      json.member("from", gap.from.description)
      json.member("to", gap.to.description)
      json.member("cause", gap.cause)
    }
    let grants = explanation.grants(of: mission)
    if let first = grants.first {
      json.object("grant") { json in
        write(first, to: &json)
        json.objects("adjustments", Array(grants.dropFirst())) { write($1, to: &$0) }
      }
    } else {
      json.key("grant")
      json.null()
    }
    json.objects("wouldBeGranted", explanation.wouldBeGranted(mission)) { json, grant in
      json.member("key", grant.key)
      json.member("points", grant.reward.points)
      json.member("exp", grant.reward.exp)
      json.member("coins", grant.reward.coins)
      json.member("items", grant.reward.items)
    }
    json.objects("reversals", explanation.reversals(of: mission)) { json, line in
      json.member("key", line.reversal.key)
      json.member("undone", line.reversal.undone)
      line.reversal.reward.amounts.writeMembers(to: &json)
      json.member("reason", line.reversal.reason)
      json.member("actor", line.reversal.actor)
      json.member("seq", line.seq)
    }
    let gifts = explanation.grants(of: mission).compactMap { explanation.gift($0.grant.key) }
    json.objects("gifts", gifts) { json, gift in
      json.member("key", gift.subject)
      json.member("reason", gift.reason)
      json.member("actor", gift.actor)
    }
    json.member(
      "trace",
      explanation.trace.filter { $0.mission == nil || $0.mission == mission }.map(\.description))
  }

  private static func write(_ line: Explanation.GrantLine, to json: inout JSONWriter) {
    let grant = line.grant
    json.member("key", grant.key)
    json.member("points", grant.reward.points)
    json.member("expBase", grant.reward.baseExp)
    json.member("multiplier", grant.reward.multiplier)
    json.member("exp", grant.reward.exp)
    json.member("coins", grant.reward.coins)
    json.member("items", grant.reward.items)
    json.member("effective", grant.effective.description)
    json.member("rules", grant.rules)
    json.member("cause", grant.cause)
    json.member("seq", line.seq)
    json.member("at", line.at.description)
    json.object("seal") { json in
      json.member("seq", line.seal.seq)
      json.member("hash", line.seal.hash.description)
    }
  }
}
