internal import CivilTime
internal import Evidence

/// The evaluation of one day, which moves an account from one event of the day to the next.
struct DayFold: ~Copyable {
  private let rules: RulesDocument
  private let user: String
  private var trace: [TraceStep]?
  private var queue: RewardQueue
  // Summed from the standing grants only when a new grant needs it.
  private var sums: DaySums?

  init(rules: RulesDocument, user: String, queue: consuming RewardQueue) {
    self.rules = rules
    self.user = user
    self.queue = queue
  }

  /// Handles every event of the day in order and adds the results to `outcome`; appends to `steps` unless it is nil.
  mutating func run(
    _ facts: DayFacts, _ account: inout AccountState, _ outcome: inout DayOutcome,
    standing: RecordedKeys, draws: DrawSecret, tracing steps: inout [TraceStep]?
  ) {
    swap(&trace, &steps)
    defer { swap(&trace, &steps) }
    outcome.grants.reserveCapacity(queue.count)
    while let event = queue.next(in: facts) {
      switch event {
      case .credit(let index):
        let credit = queue.credits[index]
        if credit.changesDays { trace?.append(.credited(credit)) }
        account.owned.formUnion(credit.items)
        account.addBooster(of: credit)
        lift(&account, &outcome, by: credit.amounts.exp, at: credit.effective, evidence: nil)
      case .login(let touch):
        let streak = StreakMark(outcome.streakAfter)
        grant(
          .login(outcome.day), rules.streak.rewards[Int(streak.cycleDay) - 1],
          at: touch.effective, evidence: touch.seq, streak: streak, &account, &outcome, standing,
          draws)
      case .mission(let kind, let touch):
        grant(
          .mission(outcome.day, kind), rules.missions[kind], at: touch.effective,
          evidence: touch.seq, &account, &outcome, standing, draws)
      case .level(let index):
        let (reached, evidence) = queue.dueLevels[index]
        guard let terms = rules.levels.reward(of: reached.level) else { continue }
        grant(
          .level(Int(reached.level)), terms, at: reached.effective, evidence: evidence, &account,
          &outcome, standing, draws)
      }
    }
  }

  /// Gives the reward of `terms` that is due under `key`, unless a reversal or a limit prevents it.
  private mutating func grant(
    _ key: RewardKey, _ terms: RewardTerms, at effective: Instant, evidence: UInt64?,
    streak: StreakMark? = nil, _ account: inout AccountState, _ outcome: inout DayOutcome,
    _ standing: RecordedKeys, _ draws: DrawSecret
  ) {
    if standing.reversed.contains(key) {
      trace?.append(.reversed(key))
      return
    }
    let intent = GrantIntent(
      key: key, day: outcome.day, effective: effective,
      reward: resolve(terms, of: key, at: effective, account, draws), evidence: evidence,
      streak: streak)
    if let reason = holdReason(intent, on: outcome.day, standing) {
      outcome.heldBack.append(intent)
      trace?.append(.heldBack(intent, reason))
      return
    }
    trace?.append(.granted(intent))
    for item in intent.reward.items { account.owned.insert(item) }
    if let booster = intent.reward.booster { account.add(booster, at: intent.effective) }
    lift(&account, &outcome, by: intent.reward.exp, at: intent.effective, evidence: intent.evidence)
    outcome.grants.append(intent)
  }

  /// Draws items, falls back and multiplies exp, without changing the account.
  private mutating func resolve(
    _ terms: RewardTerms, of key: RewardKey, at effective: Instant, _ account: AccountState,
    _ draws: DrawSecret
  ) -> Reward {
    var amounts = terms.amounts
    var boosterDays = terms.boosterDays
    var item: String?
    if let choice = terms.item {
      let draw = ItemDraw(catalogue: rules.catalogue, secret: draws, user: user)
      item = draw.item(choice, key: key, owned: account.owned)
      if let item {
        trace?.append(.drawn(key, item: item))
      } else {
        amounts += rules.fallback.amounts
        boosterDays += rules.fallback.boosterDays
        trace?.append(.nothingLeft(key, category: choice))
      }
    }
    var multiplier: Int64 = 1
    if amounts.exp != 0, let running = account.boosterRunning(at: effective) {
      multiplier = rules.boosterMultiplier
      trace?.append(.boosted(key, multiplier: multiplier, until: running))
    }
    let booster = account.boosterWindow(days: boosterDays, at: effective)
    return Reward(amounts, multiplier: multiplier, item: item, booster: booster)
  }

  /// Returns why the grant must wait; nil if it already stands or may be given.
  private mutating func holdReason(
    _ intent: GrantIntent, on today: Day, _ standing: RecordedKeys
  ) -> HoldReason? {
    if let standingReward = standing.granted[intent.key] {
      var counted = standingReward
      if case .level(let level) = intent.key {
        // A level reward counts to the day recorded for it, or to today if there is none.
        let day = standing.levelDays[level]
        if let day, day != today { return nil }
        if day == nil { counted = Reward() }
      }
      if counted.points != intent.reward.points || counted.exp != intent.reward.exp {
        var sums = currentSums(standing, today)
        sums.replace(counted, by: intent.reward)
        self.sums = sums
      }
      return nil
    }
    var sums = currentSums(standing, today)
    if !standing.released.contains(intent.key) {
      if standing.heldBack.contains(intent.key) { return .earlier }
      if let reason = sums.reason(against: intent.reward, rules.limits) { return reason }
    }
    sums.count(intent.reward)
    self.sums = sums
    return nil
  }

  private func currentSums(_ standing: RecordedKeys, _ today: Day) -> DaySums {
    sums ?? DaySums(of: standing, on: today)
  }

  /// Adds exp to the account and queues the rewards of the levels reached.
  private mutating func lift(
    _ account: inout AccountState, _ outcome: inout DayOutcome, by exp: Int64,
    at effective: Instant, evidence: UInt64?
  ) {
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
      if rules.levels.reward(of: level) != nil { queue.add(reached, evidence: evidence) }
    }
  }
}
