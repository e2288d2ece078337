import CivilTime
import Digests
import Evidence
import Ledger
import RewardRules

/// One record of each type, and random ones from a seed.
struct SampleRecords {
  private var random: SplitMix

  init(seed: UInt64) { random = SplitMix(state: seed) }

  static let instant = Instant(seconds: 1_795_186_799, nanoseconds: 250_000_000)

  mutating func body(_ type: RecordType) -> RecordBody {
    var body = plainBody(type)
    // Any of these may be the last record of a plan.
    if [.streak, .level, .refused].contains(type) { body.settled = maybe { $0.settled() } }
    // Records of other types keep none.
    body.by = maybe { UInt64($0.count()) + 1 }
    if case .credit(var credit) = body {
      credit.request = maybe { $0.text() }
      body = .credit(credit)
    }
    return body
  }

  private mutating func plainBody(_ type: RecordType) -> RecordBody {
    switch type {
    case .genesis:
      .genesis(
        GenesisRecord(
          format: 1, ledger: text(), program: text(), simulated: maybe { $0.flag() },
          partOf: maybe { $0.text() }))
    case .user: .user(user())
    case .rules: .rules(rules())
    case .evidence: .evidence(evidence())
    case .credit:
      .credit(
        CreditRecord(
          user: text(),
          Credit(
            effective: instant(), points: maybe { $0.number() } ?? 0, exp: number(),
            coins: maybe { $0.number() } ?? 0, items: texts(),
            boosterDays: maybe { Int64($0.count()) } ?? 0),
          id: maybe { $0.text() }, sender: maybe { $0.text() }))
    case .grant: .grant(grant())
    case .streak: .streak(streak())
    case .level:
      .level(
        LevelRecord(
          user: text(), level: Int32.random(in: 2...30, using: &random), effective: instant(),
          exp: maybe { $0.number() }))
    case .unknown:
      .unknown(UnknownRecord(user: text(), day: day(), mission: kind(), gaps: gaps()))
    case .close: .close(close())
    case .excuse:
      .excuse(excuse())
    case .reversal:
      .reversal(reversal())
    case .run: .run(run())
    case .refused: .refused(refused())
    case .message:
      flag()
        ? .message(
          MessageRecord(
            user: text(), plan: text(), amounts: amounts(), items: texts(),
            removedItems: texts(), boosterUntil: maybe { $0.instant() }))
        : .message(
          MessageRecord(
            user: text(), day: day(), streak: StreakMark(length: 7, cycleDay: 7), end: instant(),
            knownThrough: instant()))
    case .operator:
      .operator(act())
    case .seal: .seal(SealRecord(count: Int(count()), prev: digest(), hash: digest()))
    }
  }

  private mutating func act() -> OperatorRecord {
    var act = OperatorRecord(
      act: pick(OperatorRecord.Act.allCases), subject: text(), what: maybe { $0.text() },
      reason: text(), actor: text())
    for type in [RecordType.user, .credit, .grant, .reversal, .rules] where flag() {
      act.sums.add(plainBody(type))
    }
    act.sha256 = maybe { $0.digest() }
    act.request = maybe { $0.text() }
    act.limits = maybe { $0.limits() }
    act.signers = maybe { $0.text() }
    act.sources = maybe { $0.sources() }
    act.signature = maybe { $0.text() }
    return act
  }

  private mutating func limits() -> HandLimits {
    var limits = HandLimits()
    limits.byHand = amounts()
    limits.perUserAndMonth = number()
    limits.by = pick(HandLimits.Person.allCases)
    return limits
  }

  private mutating func sources() -> [InboxSource] {
    (0..<count()).map { _ in
      var source = InboxSource(name: text())
      source.kinds = KindSet([kind(), kind()])
      source.credits = Set(texts())
      source.perLine = ["exp": number(), "points": number()]
      (source.perUserAndDay, source.perDay) = (number(), number())
      return source
    }
  }

  mutating func reversal() -> ReversalRecord {
    var reward = Reward()
    reward.points = number()
    reward.exp = number()
    reward.coins = number()
    reward.items = texts()
    return ReversalRecord(
      key: text(), user: text(), undone: flag(), reward: reward, removedItems: texts(),
      settled: maybe { $0.settled() },
      plan: maybe { $0.text() }, reason: text(), actor: text())
  }

  mutating func grant() -> GrantRecord {
    var reward = Reward()
    reward.points = number()
    reward.baseExp = number()
    reward.multiplier = Int64(count())
    reward.exp = number()
    reward.coins = number()
    reward.items = texts()
    reward.booster = maybe { BoosterWindow(from: $0.instant(), until: $0.instant()) }
    return GrantRecord(
      key: text(), user: text(), day: day(), mission: text(), effective: instant(), rules: text(),
      reward: reward, removedItems: texts(), isVoid: flag(),
      evidence: (0..<count()).map { UInt64($0) + 1 },
      streak: maybe { $0.mark() },
      settled: maybe { $0.settled() }, cause: text())
  }

  private mutating func user() -> UserRecord {
    UserRecord(
      user: text(), zone: text(), from: instant(), since: maybe { $0.day() },
      opening: maybe {
        var opening = OpeningBalance(
          $0.amounts(), level: $0.count(), streak: $0.count(), items: $0.texts())
        opening.boosterUntil = $0.maybe { $0.instant() }
        opening.totalLogins = $0.number()
        return opening
      },
      takesEffect: maybe { $0.day() }, removed: flag(), pseudonym: flag(), forgotten: flag(),
      undated: flag())
  }

  private mutating func rules() -> RulesRecord {
    RulesRecord(
      version: text(), effectiveFrom: day(), corrects: maybe { $0.text() }, sha256: digest(),
      drawKey: text(), defaults: maybe { $0.text() },
      document: #"{"version":"2026-11","levels":{"caps":[200,300]},"x":null}"#)
  }

  private mutating func evidence() -> EvidenceRecord {
    EvidenceRecord(
      user: text(),
      activity: Activity(kind: kind(), from: instant(), to: instant(), isOpen: flag()),
      source: pick(Source.allCases), observedAt: instant(),
      sender: maybe { $0.text() })
  }

  private mutating func streak() -> StreakRecord {
    StreakRecord(
      user: text(), day: day(), what: pick(StreakChange.allCases), before: mark(), after: mark(),
      proof: (0..<count()).map { _ in
        StreakProof(source: pick(Source.allCases), through: instant(), looks: count())
      })
  }

  private mutating func excuse() -> ExcuseRecord {
    var record = ExcuseRecord(from: day(), to: day(), reason: text(), actor: text())
    record.outage = maybe { ExcuseRecord.Outage(from: $0.instant(), to: $0.instant()) }
    record.zone = maybe { $0.text() }
    record.users = maybe { $0.texts() }
    record.withdraws = maybe { UInt64($0.number().magnitude % 1_000) }
    return record
  }

  private mutating func close() -> CloseRecord {
    let start = instant()
    return CloseRecord(
      zone: text(), window: DayWindow(day: day(), start: start, end: start.adding(seconds: 86_400)),
      dateStart: maybe { $0.instant() }, users: Int(count()), counts: counts(),
      amounts: amounts(), tzdata: text(),
      sources: maybe { sample in Source.allCases.filter { _ in sample.flag() } },
      head: LedgerHead(seq: UInt64(count()), hash: digest()))
  }

  private mutating func counts() -> CloseCounts {
    var counts = CloseCounts()
    counts.met = Int(count())
    counts.notMet = Int(count())
    counts.unknown = Int(count())
    counts.counted = Int(count())
    counts.missed = Int(count())
    counts.held = Int(count())
    counts.excused = Int(count())
    counts.streaks = Int(count())
    counts.broken = Int(count())
    return counts
  }

  private mutating func settled() -> SettledChange {
    var streak = StreakState()
    streak.length = count()
    streak.cycleDay = count()
    streak.longest = streak.length + count()
    streak.lastDay = maybe { $0.day() }
    let from = day()
    return SettledChange(
      boosterUntil: maybe { $0.instant() },
      boosterPause: maybe { BoosterWindow(from: $0.instant(), until: $0.instant()) }, lost: texts(),
      gained: texts(),
      standing: SettledChange.Standing(
        level: 1 + count(), exp: number(), streak: streak,
        rewardedLevels: maybe { [2 + $0.count()] } ?? []),
      days: maybe { from...from.adding(days: $0.count()) }, through: UInt64(count()))
  }

  private mutating func run() -> RunRecord {
    RunRecord(
      job: text(), zone: text(), nominal: instant(), nominalLocal: text(),
      schedule: maybe { $0.text() }, actual: instant(),
      outcome: text(), reason: maybe { $0.text() },
      counts: (0..<count()).map { _ in RunCount(name: text(), value: number()) })
  }

  private mutating func refused() -> RefusedRecord {
    RefusedRecord(
      user: maybe { $0.text() }, day: maybe { $0.day() }, what: pick(RefusedRecord.Reason.allCases),
      key: maybe { $0.text() }, detail: text(), amounts: amounts(), streak: maybe { $0.mark() })
  }

  private mutating func amounts() -> Amounts { Amounts { _ in number() } }

  private mutating func gaps() -> [Gap] {
    (0..<count()).map { _ in Gap(kind: kind(), from: instant(), to: instant(), cause: text()) }
  }

  mutating func text() -> String {
    let alphabet = Array("abcXYZ019_.-/# \"\\\n\t\u{7F}\u{0}é日🎁{}[],:")
    return String((0..<count()).map { _ in alphabet.randomElement(using: &random) ?? "x" })
  }

  mutating func instant() -> Instant {
    let fraction = pick([0, 1, 500, 250_000_000, 999_999_999] as [Int32])
    return Instant(
      seconds: Int64.random(in: Instant.earliest.seconds...Instant.latest.seconds, using: &random),
      nanoseconds: fraction)
  }

  mutating func texts() -> [String] { (0..<count()).map { _ in text() } }
  mutating func flag() -> Bool { Bool.random(using: &random) }
  mutating func count() -> Int32 { Int32.random(in: 0...6, using: &random) }
  mutating func number() -> Int64 { pick([0, 1, -1, .max, .min, 30, 100_000]) }
  mutating func kind() -> ActivityKind { pick(ActivityKind.allCases) }
  mutating func mark() -> StreakMark { StreakMark(length: count(), cycleDay: count()) }
  mutating func digest() -> Digest { SHA256.digest(of: Array(text().utf8)) }

  mutating func day() -> Day {
    Day(number: Int32.random(in: -719_162...2_932_896, using: &random))
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  private mutating func maybe<Value>(_ make: (inout SampleRecords) -> Value) -> Value? {
    flag() ? make(&self) : nil
  }
}

/// A small generator that gives the same numbers for the same seed everywhere.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
