import CivilTime
import Engine
import Evidence
import Foundations
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

/// A past whose proved days are forgotten hides nothing: of whomever the whole past says that something is wrong or waits, it
/// says that it cannot prove all.
@Suite(.offThePool) struct ForgettingLawTests {
  private static let onTime = Telling.Manner(
    closesDaily: true, restarts: 0, extraLooks: 0, isInboxHasty: false)

  private func lives(_ seed: Int) throws -> [TrueLife] {
    try (0..<4).map { try TrueLife(index: $0, seed: UInt64(seed)) }
  }

  /// What an audit asks: whether evidence and rules demand anything else of the closed days.
  private func isFaulty(_ timeline: Timeline, now: Instant) -> Bool {
    func plan(_ days: ClosedRange<Day>?) -> UserPlan {
      UserPlan(
        timeline,
        PlanTerms(plan: "p", days: days, protection: .nothing, through: .max, now: now))
    }
    return !plan(nil).records.isEmpty || !plan(PlanTerms.allDays).records.isEmpty
  }

  /// The users of whom the whole past says that something is wrong or waits.
  private func faulty(_ records: [Record], _ terms: EngineTerms, now: Instant) -> Set<String> {
    var state = LedgerState(.pastsWhere { _ in true })
    for record in records { state.apply(record) }
    let faulty = state.accounts.indices.filter {
      isFaulty(Timeline(state, at: $0, terms: terms), now: now)
    }
    return Set(faulty.map { state.accounts[$0].id })
  }

  /// The users of whom a past that is forgotten after each `days` days cannot prove that all is right.
  private func unproved(
    _ records: [Record], _ terms: EngineTerms, now: Instant, holding days: Int
  ) -> Set<String> {
    var whole = LedgerState()
    for record in records { whole.apply(record) }
    var state = LedgerState(.recentPasts)
    var unproved: Set<String> = []
    func prove(_ index: Int, holding days: Int) {
      let user = state.accounts[index].id
      let timeline = Timeline(
        account: state.account(at: index), history: state.history(at: index), openWindows: [],
        excuses: whole.excuses(for: user), rules: whole.rules, terms: terms)
      guard let history = timeline.history, history.days.count >= days || history.isIncomplete
      else { return }
      if PastReview(timeline, now: now).proved != nil {
        state.forgetPast(at: index)
      } else {
        unproved.insert(user)
        state.dropPast(at: index)
      }
    }
    for record in records {
      state.apply(record)
      for index in state.dequeueSettled() { prove(index, holding: days) }
    }
    for index in state.accounts.indices { prove(index, holding: 0) }
    return unproved
  }

  @Test(arguments: Seeds.some(3, of: 500..<508))
  func whoIsJudgedInTimeIsProvedDayByDay(seed: Int) async throws {
    let fixture = try await Telling.tell(try lives(seed), Self.onTime, seed: UInt64(seed)).fixture
    let terms = await fixture.writer.read { $0.terms }
    let now = fixture.clock.now()
    #expect(faulty(fixture.records, terms, now: now) == [], "seed \(seed)")
    #expect(unproved(fixture.records, terms, now: now, holding: 1) == [], "seed \(seed)")
  }

  @Test(arguments: Seeds.some(5, of: 520..<536))
  func nothingThatIsWrongIsForgotten(seed: Int) async throws {
    var manner = Self.onTime
    manner.isLate = seed.isMultiple(of: 2)
    manner.backfills = manner.isLate ? seed % 4 : 0
    let told = try await Telling.tell(try lives(seed), manner, seed: UInt64(seed))
    if seed.isMultiple(of: 3) {
      let keys = told.outcome.net.keys.sorted().enumerated().filter { $0.offset % 7 == 3 }
      try await told.fixture.reverse(Set(keys.map(\.element)), plan: "taken")
    }
    let terms = await told.fixture.writer.read { $0.terms }
    let now = told.fixture.clock.now()
    var random = SplitMix64(seed: UInt64(seed), 99)
    var found = 0
    for attempt in 0..<60 {
      let records = LedgerFault.plant(in: told.fixture.records, &random)
      let faulty = faulty(records, terms, now: now)
      found += faulty.count
      for days in [1, 3] {
        let missed = faulty.subtracting(unproved(records, terms, now: now, holding: days))
        #expect(missed == [], "seed \(seed), fault \(attempt), \(days) days")
      }
    }
    #expect(found > 10, "seed \(seed)")
  }
}

/// Changes a ledger in some place as nobody should.
private enum LedgerFault {
  static func plant(in records: [Record], _ random: inout SplitMix64) -> [Record] {
    var bodies = records.map(\.body)
    func place() -> Int { Int(random.number(in: 1...Int64(bodies.count - 1))) }
    for _ in 0..<random.number(in: 1...2) {
      var index = place()
      // Seals and closes hold nothing to change that concerns a user.
      for _ in 0..<50 where bodies[index].user == nil { index = place() }
      switch random.number(in: 0...7) {
      case 0: bodies.remove(at: index)
      case 1: bodies.insert(bodies[index], at: min(bodies.count, index + 1))
      case 2:
        let late = bodies.remove(at: index)
        bodies.insert(late, at: Int(random.number(in: Int64(index)...Int64(bodies.count))))
      case 3: bodies.insert(excuse(random.number(in: 0...30)), at: index)
      case 4:
        if let act = act(on: bodies[index]) { bodies.insert(act, at: place()) }
      default: change(&bodies[index], &random)
      }
    }
    return zip(bodies.indices, bodies).map { index, body in
      Record(seq: UInt64(index + 1), at: records[min(index, records.count - 1)].at, body: body)
    }
  }

  private static func excuse(_ day: Int64) -> RecordBody {
    let day = Day(number: Int32(firstDay + day))
    return .excuse(
      ExcuseRecord(from: day, to: day.adding(days: 1), reason: "a test", actor: "tester"))
  }

  /// About when lives begin.
  private static let firstDay: Int64 = 20_746

  private static func act(on body: RecordBody) -> RecordBody? {
    switch body {
    case .grant(let grant) where grant.points > 0:
      .reversal(ReversalRecord(key: grant.baseKey, user: grant.user, reason: "r", actor: "tester"))
    case .grant(let grant):
      .refused(
        RefusedRecord(
          user: grant.user, day: grant.day, what: .heldBack, key: grant.baseKey, detail: "a test"))
    case .evidence(let evidence):
      .credit(
        CreditRecord(user: evidence.user, Credit(effective: evidence.activity.from, exp: 90)))
    default: nil
    }
  }

  private static func change(_ body: inout RecordBody, _ random: inout SplitMix64) {
    let step = random.number(in: 0...1) * 2 - 1
    switch body {
    case .grant(var grant):
      switch random.number(in: 0...5) {
      case 0: grant.reward.points += step
      case 1: grant.reward.exp += step * 40
      case 2: grant.day = grant.day.adding(days: Int32(step))
      case 3: grant.reward.items = ["fontColor/red"]
      case 4: grant.streak = StreakMark(length: (grant.streak?.length ?? 0) + 1, cycleDay: 2)
      default: grant.reward.booster = nil
      }
      body = .grant(grant)
    case .evidence(var evidence):
      let activity = evidence.activity
      let shift = step * random.number(in: 1...200_000)
      evidence.activity = Activity(
        kind: activity.kind, from: activity.from.adding(seconds: shift),
        to: max(activity.to, activity.from.adding(seconds: shift)), isOpen: activity.isOpen)
      body = .evidence(evidence)
    case .streak(var streak):
      streak.after = StreakMark(length: streak.after.length + 1, cycleDay: 1)
      body = .streak(streak)
    case .unknown(var unknown):
      unknown.day = unknown.day.adding(days: Int32(step))
      body = .unknown(unknown)
    case .credit(var record):
      record.credit.amounts.exp += 100
      record.credit.effective = record.credit.effective.adding(seconds: step * 86_400)
      body = .credit(record)
    default: break
    }
  }
}

extension GrantRecord {
  fileprivate var points: Int64 { reward.points }
}
