internal import CivilTime
internal import Evidence

/// One day in the making: carries an account from one occasion of the day to the next.
struct DayFold {
  let rules: RulesDocument
  let user: String
  var account = AccountState()
  var outcome: DayOutcome
  var trace: [TraceStep]?
  private var queue: OccasionQueue
  // Summed from what stands only when a new grant asks for it.
  private var sums: DaySums?

  init(rules: RulesDocument, user: String, outcome: DayOutcome, queue: OccasionQueue) {
    self.rules = rules
    self.user = user
    self.outcome = outcome
    self.queue = queue
  }

  /// Exchanges the account, the outcome and the trace with the caller's: before ``run(_:standing:draws:)`` to take them
  /// over, afterwards to hand them back. A copy would make every drawn item copy all that the user owns.
  mutating func exchange(
    _ account: inout AccountState, _ outcome: inout DayOutcome, _ trace: inout [TraceStep]?
  ) {
    swap(&self.account, &account)
    swap(&self.outcome, &outcome)
    swap(&self.trace, &trace)
  }

  /// Handles every occasion of the day, in order.
  mutating func run(_ facts: DayFacts, standing: Standing, draws: DrawSecret) {
    outcome.grants.reserveCapacity(queue.count)
    while let occasion = queue.next(in: facts) {
      switch occasion {
      case .credit(let index):
        let credit = queue.credits[index]
        trace?.append(.credited(credit))
        account.owned.formUnion(credit.items)
        lift(by: credit.exp, at: credit.effective, evidence: nil)
      case .login(let touch):
        let streak = outcome.streakAfter
        let offer = Offer(
          key: .login(outcome.day), terms: rules.streak.rewards[Int(streak.cycleDay) - 1],
          effective: touch.effective, evidence: touch.evidence, streak: streak)
        grant(offer, standing, draws)
      case .mission(let kind, let touch):
        let offer = Offer(
          key: .mission(outcome.day, kind), terms: rules.missions[kind],
          effective: touch.effective, evidence: touch.evidence)
        grant(offer, standing, draws)
      case .level(let index): grant(queue.dueLevels[index], standing, draws)
      }
    }
  }

  /// Gives what is offered, unless a reversal or a limit is in the way.
  private mutating func grant(_ offer: Offer, _ standing: Standing, _ draws: DrawSecret) {
    if standing.settled.contains(offer.key) {
      trace?.append(.settled(offer.key))
      return
    }
    let intent = GrantIntent(
      key: offer.key, day: outcome.day, effective: offer.effective,
      reward: resolve(offer, draws), evidence: offer.evidence, streak: offer.streak)
    if let reason = holdReason(intent, standing) {
      outcome.heldBack.append(intent)
      trace?.append(.heldBack(intent, reason))
      return
    }
    trace?.append(.granted(intent))
    if case .level(let level) = intent.key { account.rewardedLevels |= 1 << UInt32(level) }
    if !intent.reward.items.isEmpty { account.owned.formUnion(intent.reward.items) }
    if let booster = intent.reward.booster { account.boosterUntil = booster.until }
    lift(by: intent.reward.exp, at: intent.effective, evidence: intent.evidence)
    outcome.grants.append(intent)
  }

  /// Draws, falls back and multiplies; leaves the account as it is.
  ///
  /// Plain arithmetic is safe here: a document's amounts are bounded far below what 64 bits hold.
  private mutating func resolve(_ offer: Offer, _ draws: DrawSecret) -> Reward {
    let key = offer.key
    var reward = Reward()
    reward.points = offer.terms.points
    reward.baseExp = offer.terms.exp
    reward.coins = offer.terms.coins
    var boosterDays = offer.terms.boosterDays
    if let choice = offer.terms.item {
      let draw = ItemDraw(catalogue: rules.catalogue, secret: draws, user: user)
      if let item = draw.item(choice, key: key, owned: account.owned) {
        reward.items = [item]
        trace?.append(.drawn(key, item: item))
      } else {
        reward.points += rules.fallback.points
        reward.baseExp += rules.fallback.exp
        reward.coins += rules.fallback.coins
        boosterDays += rules.fallback.boosterDays
        trace?.append(.nothingLeft(key, category: choice))
      }
    }
    let running = account.boosterUntil.flatMap { $0 > offer.effective ? $0 : nil }
    if let running, reward.baseExp != 0 {
      reward.multiplier = rules.boosterMultiplier
      trace?.append(.boosted(key, multiplier: rules.boosterMultiplier, until: running))
    }
    reward.exp = reward.baseExp * reward.multiplier
    if boosterDays > 0 {
      let from = running ?? offer.effective
      let until = from.adding(seconds: boosterDays * 86_400)
      reward.booster = BoosterWindow(from: from, until: until)
    }
    return reward
  }

  /// Why the grant has to wait; nil when it stands already or may be given.
  private mutating func holdReason(_ intent: GrantIntent, _ standing: Standing) -> HoldReason? {
    if let standingReward = standing.granted[intent.key] {
      if case .level(let level) = intent.key, standing.levelDays[level] == nil {
        var sums = currentSums(standing)
        sums.count(standingReward)
        self.sums = sums
      }
      return nil
    }
    var sums = currentSums(standing)
    if !standing.released.contains(intent.key) {
      if standing.heldBack.contains(intent.key) { return .earlier }
      if let reason = sums.reason(against: intent.reward, rules.limits) { return reason }
    }
    sums.count(intent.reward)
    self.sums = sums
    return nil
  }

  private func currentSums(_ standing: Standing) -> DaySums {
    sums ?? DaySums(of: standing, on: outcome.day)
  }

  /// Adds exp to the account and queues the rewards of the levels that it lifts.
  private mutating func lift(by exp: Int64, at effective: Instant, evidence: UInt64?) {
    if exp == 0 { return }
    let before = account.level
    if !account.apply(exp: exp, caps: rules.levels.caps) {
      outcome.isSaturated = true
      trace?.append(.saturated)
    }
    guard account.level > before else { return }
    for level in before + 1...account.level {
      let reached = DayOutcome.LevelReached(level: level, effective: effective)
      outcome.levels.append(reached)
      trace?.append(.level(reached))
      guard let terms = rules.levels.reward(of: level) else { continue }
      if account.rewardedLevels & 1 << UInt32(level) != 0 {
        trace?.append(.levelRewardedBefore(level))
      } else {
        queue.add(
          Offer(key: .level(Int(level)), terms: terms, effective: effective, evidence: evidence))
      }
    }
  }
}
