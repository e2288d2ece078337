import CivilTime
import Described
import Digests
import Engine
import Evidence
import Ledger
import Operations
import RewardRules
import Scheduling

/// Formats an explanation, for support staff and for programs.
enum ExplainText {
  static func text(of explanation: Explanation, _ missions: [String]) -> String {
    let day = explanation.day
    let window = day.window
    var text =
      "\(explanation.user), \(window.day) in \(window.zone): \(window.start) to \(window.end)"
      + "\(window.isShortened ? ", shortened by a change of zone or by leaving" : "")\n"
      + "\(state(of: explanation)); rules \(day.rules.version), tzdata \(explanation.tzdata)\n"
    let whole = explanation.trace.filter { $0.mission == nil && $0 != .excused }.dropFirst()
    text += explanation.excuses.map { "  \(line(of: $0))\n" }.joined()
    text += whole.filter { !explanation.isCredit($0) }.map { "  \($0)\n" }.joined()
    for (seq, at, credit) in explanation.credits {
      text +=
        "  in the ledger: a credit of \(credit.credit.summary) at \(credit.credit.effective); "
        + "by \(InboxSource.title(of: credit.sender)), id \(credit.id ?? "-"), seq \(seq), recorded \(at)\n"
    }
    for mission in missions {
      let wouldBe = explanation.wouldBeGranted(mission)
      let since = wouldBe.isEmpty ? "" : " at the close; evidence that came later says otherwise"
      let steps = explanation.trace.filter { $0.mission == mission }
      let title = day.rules.missions.title(of: mission).map { " (\($0.text()))" } ?? ""
      text += "\n\(mission)\(title): \(words(of: mission, explanation))\(since)\n"
      text += steps.map { "  \($0)\n" }.joined()
      // What the close did not know, where the steps do not say it: facts that came since may have filled the gap.
      let shown = steps.flatMap { if case .unknown(_, let gaps) = $0 { gaps } else { [Gap]() } }
      for gap in day.isClosed ? explanation.gaps(of: ActivityKind(name: mission)) : []
      where gap.kind.name == mission && !shown.contains(gap) {
        text += "  no evidence at the close from \(gap.from) to \(gap.to) (\(gap.reason))\n"
      }
      for grant in explanation.grants(of: mission) {
        text += "  in the ledger: \(line(of: grant))\n"
        if let gift = explanation.gift(grant.grant.key) {
          text += "  given by hand: \(explanation.requests.reason(ofGift: gift))\n"
        }
      }
      for (seq, reversal) in explanation.reversals(of: mission) {
        text +=
          "  \(reversal.key) \(reversal.undone ? "given back" : "taken back"): "
          + "\(reversal.reason) (\(reversal.actor), seq \(seq))\n"
      }
      for refused in explanation.heldBack(mission) { text += "  \(refused.detail)\n" }
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
    return text + "\n" + deliveries(explanation, missions)
      + remedies(explanation.remedies(missions))
  }

  /// Returns commands that deal with what was found, one per line; empty when nothing is to be done.
  private static func remedies(_ remedies: [String]) -> String {
    let lines = remedies.map { "  \($0)\n" }.joined()
    return lines.isEmpty ? "" : "\nwhat to do:\n\(lines)"
  }

  private static func state(of explanation: Explanation) -> String {
    if explanation.day.isClosed { return "closed" }
    return explanation.isDayOfLeaving ? "still open, and the user has left" : "still open"
  }

  /// Returns the verdict in words and, for a login, the activity that met it.
  private static func words(of mission: String, _ explanation: Explanation) -> String {
    let day = explanation.day
    let verdict = verdict(of: mission, day)
    guard mission == OtherMission.login.rawValue else {
      return verdict == "notMet" ? "not met" : verdict
    }
    let rules = day.rules.streak
    switch day.outcome.streakClass {
    case .counted:
      let touches = rules.countsAs.kinds.compactMap { kind in day.facts[kind].map { (kind, $0) } }
      let first = touches.min { ($0.1.effective, $0.0) < ($1.1.effective, $1.0) }
      guard let first, first.0 != .login else { return "met" }
      return "met by \(first.0.name) at \(first.1.effective)"
    case .excused:
      let isSeen = day.facts.uncovered.isDisjoint(with: rules.countsAs)
      return (isSeen ? "not met" : "unknown" + hidden(day.facts, rules))
        + "; an outage or a pardon holds the streak"
    case .missed: return "not met"
    case .held, .pending: return "unknown" + hidden(day.facts, rules)
    }
  }

  /// Returns what besides a login may have counted for the streak; empty where the login itself may be unseen.
  private static func hidden(_ facts: DayFacts, _ rules: StreakRules) -> String {
    let kinds = facts.uncovered.intersection(rules.countsAs).intersection(facts.watched)
    if kinds.isEmpty || kinds.contains(.login) { return "" }
    let names = kinds.kinds.map(\.name).sorted()
    let words = names.count == 1 ? "is unknown and counts" : "are unknown and count"
    return ", because \(names.joined(separator: ", ")) \(words) for the streak"
  }

  private static func line(of excuse: Explanation.ExcuseLine) -> String {
    let record = excuse.record
    let what =
      record.outage.map { "outage from \($0.from) to \($0.to), declared" } ?? "pardoned"
    return "\(what) by \(record.actor): \(record.reason); seq \(excuse.seq), recorded \(excuse.at)"
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

  /// Returns the verdict: `met`, `notMet` or `unknown`.
  static func verdict(of mission: String, _ day: EvaluatedDay) -> String {
    // A grant by a person or a plan needs no evidence.
    let other = OtherMission(rawValue: mission)
    if other == .manual || other == .waived { return "met" }
    if other == .level { return day.outcome.levels.isEmpty ? "notMet" : "met" }
    guard other == .login else {
      let kind = ActivityKind(name: mission)
      return kind.map { day.facts.verdict($0).name } ?? "unknown"
    }
    switch day.outcome.streakClass {
    case .counted: return "met"
    case .missed: return "notMet"
    case .held, .excused, .pending: return "unknown"
    }
  }

  /// The explanation for programs.
  static let output = JSONMembers<(explanation: Explanation, missions: [String])> {
    $0.add("user", \.explanation.user)
    $0.add("day", \.explanation.day.window.day)
    $0.add("zone", \.explanation.day.window.zone)
    $0.add("start", \.explanation.day.window.start)
    $0.add("end", \.explanation.day.window.end)
    $0.add("closed", \.explanation.day.isClosed)
    $0.add("waiting") { $0.explanation.waiting != nil }
    $0.add("rules", \.explanation.day.rules.version)
    $0.add("tzdata", \.explanation.tzdata)
    $0.add("remedies", { $0.explanation.remedies($0.missions) }, "what to do about it")
    $0.map("missions") { shown in
      shown.missions.map { ($0, ExplainedMission(name: $0, explanation: shown.explanation)) }
    }
    $0.list("credits", \.explanation.credits, "received or spent elsewhere on the day") {
      $0.add("effective", \.record.credit.effective)
      $0.include(\.record.credit.amounts)
      $0.add("items", \.record.credit.items)
      $0.add("boosterDays", \.record.credit.boosterDays)
      $0.add("id", \.record.id)
      $0.add("source", { InboxSource.title(of: $0.record.sender) }, "who handed it in")
      $0.add("seq", \.seq)
      $0.add("at", \.at)
    }
    $0.object("streak", \.explanation.day.outcome) {
      $0.add("class", \.streakClass.rawValue)
      $0.object("before", \.streakBefore, of: list)
      $0.object("after", \.streakAfter, of: list)
    }
    $0.list("deliveries", \.explanation.deliveries) {
      $0.add("sink", \.sink)
      $0.add("key", \.key)
      $0.add("seq", \.seq)
      $0.add("delivered", \.isDelivered)
      $0.add("dead", \.isDead)
      $0.add("skipped", \.isSkipped)
      $0.add("attempts", \.attempts)
      $0.add("lastAttempt", \.last?.at)
      $0.add("lastOutcome", \.last?.outcome)
    }
  }

  private static func list(_ streak: inout JSONMembers<StreakState>) {
    streak.add("length", \.length)
    streak.add("cycleDay", \.cycleDay)
  }
}
