import CivilTime
import Evidence
import RewardRules
import StrictJSON

extension BookSnapshot {
  /// Writes an account; what is empty is left out.
  static func write(_ account: Account, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("user", account.id)
    writer.member("zone", account.zone)
    if account.isRemoved { writer.member("removed", true) }
    writer.member("boundary", account.boundary)
    writer.member("day", account.boundaryDay)
    writer.member("first", account.firstDay)
    if account.amended > 0 { writer.member("amended", account.amended) }
    writer.member("knownSince", account.knownSince)
    if !account.refusals.isEmpty { writer.member("refusals", account.refusals.sorted()) }
    writer.member("points", account.points)
    writer.member("coins", account.coins)
    writer.member("recordedLevel", account.recordedLevel)
    write(account.state, to: &writer)
    writeOpen(account, to: &writer)
    if let stopped = account.stopped { writer.member("stopped", stopped) }
    writer.endObject()
  }

  private static func write(_ state: AccountState, to writer: inout JSONWriter) {
    writer.member("level", state.level)
    writer.member("exp", state.exp)
    writer.member("rewardedLevels", state.rewardedLevels)
    if !state.owned.isEmpty { writer.member("owned", state.owned.sorted()) }
    if let until = state.boosterUntil { writer.member("boosterUntil", until) }
    let streak = state.streak
    writer.ints("streak", [streak.length, streak.cycleDay, streak.longest])
    if let day = streak.lastDay { writer.member("lastDay", day) }
  }

  private static func writeOpen(_ account: Account, to writer: inout JSONWriter) {
    if !account.changes.isEmpty {
      writer.objects("changes", account.changes) { writer, change in
        writer.member("at", change.at)
        writer.member("zone", change.zone)
      }
    }
    if !account.grants.isEmpty { writer.objects("grants", account.grants, write) }
    if !account.marks.isEmpty {
      writer.objects("marks", account.marks) { writer, mark in
        writer.member("day", mark.day)
        if let what = mark.what { writer.member("what", what.rawValue) }
        writer.ints("after", [mark.after.length, mark.after.cycleDay])
      }
    }
    if !account.evidence.isEmpty {
      writer.objects("evidence", account.evidence) { writer, item in
        write(item.activity, to: &writer)
        writer.member("seq", item.seq)
      }
    }
    if !account.lateEvidence.isEmpty {
      writer.objects("late", account.lateEvidence) { write($1, to: &$0) }
    }
    if !account.credits.isEmpty {
      writer.objects("credits", account.credits) { writer, credit in
        writer.member("effective", credit.effective)
        writer.member("exp", credit.exp)
        writer.member("items", credit.items)
      }
    }
    if !account.creditIDs.isEmpty { writer.member("creditIDs", account.creditIDs.sorted()) }
    if !account.manualIDs.isEmpty { writer.member("manualIDs", account.manualIDs.sorted()) }
    writeKeys("heldBack", account.heldBack, to: &writer)
    writeKeys("released", account.released, to: &writer)
    if !account.unknowns.isEmpty {
      writer.objects("unknowns", account.unknowns) { writer, unknown in
        writer.member("day", unknown.day)
        writer.member("kinds", unknown.kinds.rawValue)
      }
    }
    if !account.oddDays.isEmpty {
      writer.objects("oddDays", account.oddDays) { writer, odd in
        writer.member("day", odd.day)
        writer.member("before", odd.dayBefore)
        writer.member("start", odd.start)
        writer.member("end", odd.end)
      }
    }
    let days = ActivityKind.allCases.map { account.evidenceDays[Int($0.rawValue)] }
    if days.contains(where: { $0 != 0 }) {
      writer.ints("evidenceDays", days.map { Int64(bitPattern: $0) })
    }
  }

  private static func writeKeys(
    _ name: String, _ keys: Set<RewardKey>, to writer: inout JSONWriter
  ) {
    if !keys.isEmpty { writer.member(name, keys.map { $0.text(user: "") }.sorted()) }
  }

  private static func write(_ activity: SeenActivity, to writer: inout JSONWriter) {
    writer.member("kind", activity.kind.rawValue)
    writer.member("from", activity.from)
    writer.member("to", activity.to)
    if activity.isOpen { writer.member("open", true) }
  }

  private static func write(_ writer: inout JSONWriter, _ grant: StandingGrant) {
    writer.member("key", grant.text)
    writer.member("day", grant.day)
    writer.member("effective", grant.effective)
    let net = grant.net
    writer.ints("net", [net.points, net.baseExp, net.multiplier, net.exp, net.coins])
    if !net.items.isEmpty { writer.member("items", net.items) }
    if let booster = net.booster {
      writer.member("boosterFrom", booster.from)
      writer.member("boosterUntil", booster.until)
    }
    if grant.evidence > 0 { writer.member("evidence", grant.evidence) }
    if grant.adjustments > 0 { writer.member("adjustments", grant.adjustments) }
    if grant.isReversed { writer.member("reversed", true) }
    if let plan = grant.reversedBy { writer.member("reversedBy", plan) }
    if let streak = grant.streak { writer.ints("streak", [streak.length, streak.cycleDay]) }
  }
}
