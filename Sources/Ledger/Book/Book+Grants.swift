import CivilTime
import Evidence
import RewardRules

extension Book {
  mutating func apply(_ rules: RulesRecord) {
    drawKey = rules.drawKey
    add(ruleText: rules.document)
  }

  /// Puts a document into use. The ledger holds only documents that were checked when they were loaded.
  mutating func add(ruleText text: String) {
    ruleTexts.append(text)
    rules = try? RuleBook(documents)
  }

  mutating func apply(_ evidence: EvidenceRecord, seq: UInt64) {
    let activity = SeenActivity(
      kind: evidence.kind, from: evidence.from, to: evidence.to, isOpen: evidence.open)
    withAccount(of: evidence.user) { account in
      // What reaches over the boundary comes late for the closed day, and in time for the open one.
      if activity.from < account.boundary {
        account.lateEvidence.append(activity)
        let days = account.closedDays(touchedBy: activity)
        for number in days.lowerBound.number...days.upperBound.number {
          account.noteEvidence(of: activity.kind, onClosed: Day(number: number))
        }
      }
      if activity.from >= account.boundary || activity.to > account.boundary {
        account.evidence.append(RecordedEvidence(activity: activity, seq: seq))
      }
    }
  }

  mutating func apply(_ credit: CreditRecord) {
    withAccount(of: credit.user) { account in
      if let id = credit.id { account.creditIDs.insert(id) }
      // A credit for a closed day takes effect where the open days begin.
      account.credits.append(
        Credit(
          effective: max(credit.effective, account.boundary), exp: credit.exp, items: credit.items))
    }
  }

  mutating func apply(_ grant: GrantRecord) {
    let caps = caps(on: grant.day)
    withAccount(of: grant.user) { account in
      account.points = account.points.addingSaturated(grant.reward.points)
      account.coins = account.coins.addingSaturated(grant.reward.coins)
      let isLate = grant.day <= account.boundaryDay
      defer {
        if isLate {
          account.settleLevels(caps: caps)
          account.take(grant.settled)
        }
      }
      if isLate, let streak = grant.streak {
        account.repairStreak(on: grant.day, to: streak, counts: true)
      }
      if let hash = grant.key.lastIndex(of: "#") {
        account.adjust(String(grant.key[..<hash]), by: grant, caps: caps)
        return
      }
      let key = RewardKey(text: grant.key)
      let standing = StandingGrant(
        text: grant.key, key: key, day: grant.day, effective: grant.effective, net: grant.reward,
        streak: grant.streak)
      if account.grants.contains(where: { $0.text == grant.key }) {
        account.stopped = "two grants stand under the key \(grant.key)"
      } else if grant.day > account.boundaryDay {
        account.grants.append(standing)
        if let key { account.heldBack.remove(key) }
      } else {
        account.state.take(standing, caps: caps)
      }
    }
  }

  mutating func apply(_ reversal: ReversalRecord) {
    withAccount(of: reversal.user) { account in
      guard let index = account.grants.firstIndex(where: { $0.text == reversal.key }) else {
        return
      }
      account.grants[index].isReversed = !reversal.undone
      let net = account.grants[index].net
      let sign: Int64 = reversal.undone ? 1 : -1
      account.points = account.points.addingSaturated(sign * net.points)
      account.coins = account.coins.addingSaturated(sign * net.coins)
    }
  }

  mutating func apply(_ refused: RefusedRecord) {
    guard let user = refused.user else { return }
    withAccount(of: user) { account in
      switch refused.what {
      case .heldBack:
        guard let key = refused.key.flatMap({ RewardKey(text: $0) }) else { return }
        account.heldBack.insert(key)
        // The day counts although its reward waits.
        if case .login(let day) = key, let streak = refused.streak {
          account.mark(DayMark(day: day, what: nil, after: streak))
        }
      case .keyConflict: account.stopped = refused.detail
      case .badEvidence, .lyingAnswer, .lateEvidence: account.refusals.insert(refused.detail)
      }
    }
  }

  mutating func apply(_ act: OperatorRecord) {
    switch act.act {
    case .release:
      guard let key = RewardKey(text: act.subject),
        let user = act.subject.split(separator: "/").first
      else { return }
      withAccount(of: String(user)) { account in
        account.heldBack.remove(key)
        account.released.insert(key)
      }
    case .acceptClock: acceptedClock = at
    case .confirmClose: confirmedCloses.insert(act.subject)
    case .pause:
      pauses[act.subject] = PauseMark(since: at, reason: act.reason, actor: act.actor)
    case .resume: pauses[act.subject] = nil
    }
  }
}

extension Account {
  /// Takes over what a change of closed days leaves besides the sums.
  fileprivate mutating func take(_ settled: SettledChange?) {
    guard let settled else { return }
    state.owned.subtract(settled.lost)
    state.boosterUntil = settled.boosterUntil
  }

  /// Takes over how the streak stands after a closed day; only the last closed day's is the one that goes on.
  mutating func repairStreak(on day: Day, to mark: StreakMark, counts: Bool) {
    state.streak.longest = max(state.streak.longest, mark.length)
    if counts { state.streak.lastDay = max(state.streak.lastDay ?? day, day) }
    guard day == boundaryDay else { return }
    state.streak.length = mark.length
    state.streak.cycleDay = mark.cycleDay
  }

  /// Adds an adjustment to what stands under the key `text`, or to the settled state when its day is closed.
  fileprivate mutating func adjust(_ text: String, by grant: GrantRecord, caps: [Int64]) {
    guard let index = grants.firstIndex(where: { $0.text == text }) else {
      state.apply(exp: grant.reward.exp, caps: caps)
      // What the user loses by it stands on the last record of the change: another key may have brought it meanwhile.
      state.owned.formUnion(grant.reward.items)
      if let booster = grant.reward.booster {
        state.boosterUntil = max(state.boosterUntil ?? booster.until, booster.until)
      }
      return
    }
    grants[index].adjustments += 1
    grants[index].effective = grant.effective
    grants[index].net.points = grants[index].net.points.addingSaturated(grant.reward.points)
    grants[index].net.exp = grants[index].net.exp.addingSaturated(grant.reward.exp)
    grants[index].net.baseExp = grants[index].net.baseExp.addingSaturated(grant.reward.baseExp)
    grants[index].net.multiplier = grant.reward.multiplier
    grants[index].net.coins = grants[index].net.coins.addingSaturated(grant.reward.coins)
    grants[index].net.items.removeAll { grant.removedItems.contains($0) }
    grants[index].net.items += grant.reward.items
    grants[index].net.booster = grant.reward.booster
    if let streak = grant.streak { grants[index].streak = streak }
  }
}

extension Int64 {
  /// The sum, stopped at the ends of 64 bits; no balance of the app comes near them.
  func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
