import CivilTime
import RewardRules

extension Account {
  /// Takes a grant or an adjustment in.
  mutating func apply(_ grant: GrantRecord, seq: UInt64, caps: [Int64]) {
    points = points.addingSaturated(grant.reward.points)
    coins = coins.addingSaturated(grant.reward.coins)
    // What is waived before the first judged day is over stands before that day: it is settled with it.
    let isLate = grant.day <= boundaryDay && grant.day >= firstDay
    if isLate {
      amended = seq
      if let streak = grant.streak { repairStreak(on: grant.day, to: streak, counts: true) }
    }
    var isSettled = isLate
    if grant.isAdjustment {
      // A level's reward may be settled although its day still runs.
      if !adjust(grant.baseKey, by: grant, caps: caps) { isSettled = true }
    } else {
      add(grant, isLate: isLate, caps: caps)
    }
    if isSettled { settleLevels(caps: caps) }
    take(grant.settled)
  }

  private mutating func add(_ grant: GrantRecord, isLate: Bool, caps: [Int64]) {
    let key = RewardKey(text: grant.key)
    var standing = StandingGrant(
      text: grant.key, key: key, day: grant.day, effective: grant.effective, net: grant.reward,
      streak: grant.streak)
    standing.evidence = grant.evidence.first ?? 0
    if openGrant(grant.key, of: grant) != nil || !notes(HandKey(text: grant.key)) {
      stopped = "two grants stand under the key \(grant.key)"
    } else if isLate {
      state.take(standing, caps: caps)
    } else {
      grants.append(standing)
      if let key { heldBack.remove(key) }
    }
  }

  /// Notes a level that was reached, or takes a correction over. Where no day is closed, as in a past that was opened
  /// again, there is nothing to correct.
  mutating func apply(_ level: LevelRecord, seq: UInt64, caps: [Int64]) {
    recordedLevel = max(recordedLevel, level.level)
    guard let exp = level.exp, level.effective == boundary else { return }
    amended = seq
    state.level = level.level
    state.exp = exp
    settleLevels(caps: caps)
  }

  /// Takes over what a change of closed days leaves besides the sums.
  mutating func take(_ settled: SettledChange?) {
    guard let settled else { return }
    state.owned.subtract(settled.lost)
    state.boosterUntil = settled.boosterUntil
  }

  /// Takes a grant back, or undoes that.
  ///
  /// The day of an open grant is judged anew; what a closed one leaves is told by the record.
  mutating func apply(_ reversal: ReversalRecord, seq: UInt64, caps: [Int64]) {
    amended = seq
    points = points.addingSaturated(reversal.reward.points)
    coins = coins.addingSaturated(reversal.reward.coins)
    if let index = grants.firstIndex(where: { $0.text == reversal.key }) {
      grants[index].isReversed = !reversal.undone
      grants[index].reversedBy = reversal.undone ? nil : reversal.plan
      return take(reversal.settled)
    }
    state.apply(exp: reversal.reward.exp, caps: caps)
    state.owned.formUnion(reversal.reward.items)
    settleLevels(caps: caps)
    take(reversal.settled)
  }

  /// Lets a grant through that a limit holds back.
  mutating func release(_ key: RewardKey) {
    heldBack.remove(key)
    released.insert(key)
  }

  /// The open grant under a grant's base key `text`. Days are compared before texts: a long past is not searched text by
  /// text for each of its grants.
  func openGrant(_ text: String, of grant: GrantRecord) -> Int? {
    // A level may be reached again on another day.
    let mayBeAnyDay = grant.mission == "level"
    return grants.firstIndex { (mayBeAnyDay || $0.day == grant.day) && $0.text == text }
  }

  /// Keeps the key of a closed day's level reward that is void: the level may be reached again.
  private mutating func fallDormant(_ text: String, _ grant: GrantRecord) {
    guard let key = RewardKey(text: text), case .level(let level) = key else { return }
    state.rewardedLevels &= ~(1 << UInt32(level))
    var dormant = StandingGrant(
      text: text, key: key, day: grant.day, effective: grant.effective, net: Reward(), streak: nil)
    dormant.adjustments = max(1, grant.adjustment ?? 1)
    grants.append(dormant)
  }

  /// Notes a grant by hand; false when one stands under that key already. Whatever else it is, is not its business.
  mutating func notes(_ key: HandKey?) -> Bool {
    guard case .manual(let id) = key else { return true }
    return manualIDs.insert(id).inserted
  }

  /// Takes over how the streak stands after a closed day; only the last closed day's is the one that goes on.
  mutating func repairStreak(on day: Day, to mark: StreakMark, counts: Bool) {
    state.streak.longest = max(state.streak.longest, mark.length)
    if counts { state.streak.lastDay = max(state.streak.lastDay ?? day, day) }
    guard day == boundaryDay else { return }
    state.streak.length = mark.length
    state.streak.cycleDay = mark.cycleDay
  }

  /// Adds an adjustment to what stands under the key `text`, or to the settled state when that is not open any more; tells
  /// whether it was open.
  private mutating func adjust(_ text: String, by grant: GrantRecord, caps: [Int64]) -> Bool {
    guard let index = openGrant(text, of: grant) else {
      state.apply(exp: grant.reward.exp, caps: caps)
      // What the user loses by it stands on the last record of the change: another key may have brought it meanwhile.
      state.owned.formUnion(grant.reward.items)
      if let booster = grant.reward.booster {
        state.boosterUntil = max(state.boosterUntil ?? booster.until, booster.until)
      }
      if grant.isVoid { fallDormant(text, grant) }
      return false
    }
    grants[index].day = grant.day
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
    if let evidence = grant.evidence.first { grants[index].evidence = evidence }
    if let streak = grant.streak { grants[index].streak = streak }
    return true
  }
}
