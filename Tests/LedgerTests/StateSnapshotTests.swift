import CivilTime
import Described
import Digests
import Evidence
import Ledger
import RewardRules
import TestSupport
import Testing

/// A snapshot and the lines after it make the same state as all lines.
@Suite(.offThePool) struct StateSnapshotTests {
  /// Random records that hang together: a few users, days and keys, so that they touch each other.
  private static func records(seed: UInt64, count: Int) -> [Record] {
    var random = SplitMix(state: seed)
    var made: [Record] = []
    let first = Day(number: 20_000)
    for number in 0..<count {
      let user = "u\(Int.random(in: 0..<4, using: &random))"
      let day = first.adding(days: Int32.random(in: 0..<20, using: &random))
      let at = Instant(
        seconds: Int64(day.number) * 86_400 + Int64.random(in: 0..<86_400, using: &random))
      made.append(
        Record(
          seq: UInt64(number + 1), at: Instant(seconds: 1_728_000_000 + Int64(number)),
          body: number < 4
            ? .user(
              UserRecord(
                user: "u\(number)", zone: number < 2 ? "Asia/Tokyo" : "Etc/UTC",
                from: Instant(seconds: Int64(first.number) * 86_400), since: first,
                opening: number == 1
                  ? OpeningBalance(
                    Amounts { [.points: 5, .exp: 7][$0] ?? 0 }, level: 3, streak: 4, items: ["c/i"])
                  : nil))
            : body(user, day, at, using: &random)))
    }
    return made
  }

  private static func body(
    _ user: String, _ day: Day, _ at: Instant, using random: inout SplitMix
  ) -> RecordBody {
    let kind = ActivityKind.allCases.randomElement(using: &random) ?? .gift
    let mark = StreakMark(length: Int32.random(in: 0...9, using: &random), cycleDay: 2)
    let key = "\(user)/\(day)/\(kind.name)"
    switch Int.random(in: 0..<16, using: &random) {
    case 0, 1, 2: return .grant(grant(key, user, day, at, kind.name, mark, using: &random))
    case 3: return .grant(grant("\(user)/level/5", user, day, at, "level", mark, using: &random))
    case 4: return .grant(grant("\(key)#1", user, day, at, kind.name, mark, using: &random))
    case 5, 6:
      return .evidence(
        EvidenceRecord(
          user: user,
          activity: Activity(
            kind: kind, from: at, to: at.adding(seconds: 50_000),
            isOpen: Bool.random(using: &random)),
          source: kind.source, observedAt: at))
    case 7:
      return .credit(
        CreditRecord(
          user: user,
          Credit(
            effective: at, points: -5, exp: 90, coins: 7, items: ["c/\(day)"], boosterDays: 1),
          id: "\(day)"))
    case 8:
      let what = StreakChange.allCases.randomElement(using: &random) ?? .held
      return .streak(StreakRecord(user: user, day: day, what: what, before: mark, after: mark))
    case 9: return .unknown(UnknownRecord(user: user, day: day, mission: kind, gaps: []))
    case 10:
      return .refused(
        RefusedRecord(
          user: user, day: day, what: .heldBack, key: key, detail: "limit",
          amounts: Amounts { $0 == .points ? 1 : 0 }, streak: mark)
      )
    case 11:
      let zone = Bool.random(using: &random) ? "Asia/Tokyo" : "Etc/UTC"
      let window = DayWindow(day: day, start: at.adding(seconds: -86_400), end: at)
      var counts = CloseCounts()
      counts.streaks = 9
      counts.broken = 1
      return .close(
        CloseRecord(
          zone: zone, window: window, users: 2, counts: counts, amounts: Amounts(), tzdata: "x",
          sources: [.inbox], head: LedgerHead(seq: 1, hash: .zero)))
    case 12:
      return user == "u3"
        ? .user(UserRecord(user: user, zone: "Etc/UTC", from: at, removed: true))
        : .user(UserRecord(user: user, zone: "Europe/Rome", from: at))
    case 13:
      let acts: [OperatorRecord] = [
        OperatorRecord(act: .release, subject: key, reason: "", actor: "op"),
        OperatorRecord(act: .acceptClock, subject: "", reason: "", actor: "op"),
        OperatorRecord(act: .confirmClose, subject: "Etc/UTC/\(day)", reason: "", actor: "op"),
      ]
      return .operator(acts.randomElement(using: &random) ?? acts[0])
    case 14: return .reversal(ReversalRecord(key: key, user: user, reason: "", actor: "op"))
    default:
      return Bool.random(using: &random)
        ? .excuse(ExcuseRecord(from: day, to: day, users: [user], reason: "r", actor: "op"))
        : .run(
          RunRecord(
            job: "nightly", zone: "Etc/UTC", nominal: at, nominalLocal: "",
            schedule: Bool.random(using: &random) ? "30 0 * * *" : nil, actual: at,
            outcome: "done"))
    }
  }

  private static func grant(
    _ key: String, _ user: String, _ day: Day, _ at: Instant, _ mission: String, _ mark: StreakMark,
    using random: inout SplitMix
  ) -> GrantRecord {
    var reward = Reward()
    reward.points = Int64.random(in: -50...90, using: &random)
    reward.baseExp = 3
    reward.exp = Int64.random(in: 0...900, using: &random)
    reward.coins = Int64.random(in: 0...9, using: &random)
    if Bool.random(using: &random) { reward.items = ["fontColor/red"] }
    if Bool.random(using: &random) {
      reward.booster = BoosterWindow(from: at, until: at.adding(seconds: 86_400))
    }
    return GrantRecord(
      key: key, user: user, day: day, mission: mission, effective: at, rules: "r", reward: reward,
      removedItems: Bool.random(using: &random) ? ["fontColor/red"] : [], evidence: [1],
      streak: Bool.random(using: &random) ? mark : nil, cause: "live")
  }

  @Test(arguments: 0..<120) func snapshotAndTailMakeTheWholeState(seed: Int) throws {
    let records = Self.records(seed: UInt64(seed) &* 7_919 &+ 1, count: 250)
    var random = SplitMix(state: UInt64(seed))
    let cut = Int.random(in: 0...records.count, using: &random)
    let whole = records.reduce(into: LedgerState()) { $0.apply($1) }
    let half = records[..<cut].reduce(into: LedgerState()) { $0.apply($1) }
    var resumed = try StateSnapshot.read(StateSnapshot.write(half))
    #expect(StateSnapshot.write(resumed) == StateSnapshot.write(half), "seed \(seed)")
    for record in records[cut...] { resumed.apply(record) }
    #expect(StateSnapshot.write(resumed) == StateSnapshot.write(whole), "seed \(seed)")
    #expect(resumed.accounts == whole.accounts, "seed \(seed)")
    #expect(
      resumed.closes == whole.closes && resumed.users.zones.names == whole.users.zones.names,
      "seed \(seed)")
    #expect(resumed.jobs.lastRuns == whole.jobs.lastRuns && resumed.excuses == whole.excuses)
    #expect(resumed.users.zones.since == whole.users.zones.since)
    #expect(resumed.confirmedCloses == whole.confirmedCloses)
    #expect(resumed.acceptedClock == whole.acceptedClock)
    for user in ["u0", "u1", "u2", "u3"] {
      #expect(resumed.balance(of: user) == whole.balance(of: user), "seed \(seed), \(user)")
    }
  }

  /// What people gave, what they may give, and what two agreed on.
  @Test func handsReturn() throws {
    var limits = HandLimits()
    limits.by = .actor
    limits.perUserAndMonth = 7
    var setting = OperatorRecord(act: .limits, subject: "approval", reason: "r", actor: "op")
    setting.limits = limits
    var agreed = OperatorRecord(
      act: .deliver, subject: "file", reason: "r", actor: "Bob (account op)")
    agreed.request = "id"
    let alone = OperatorRecord(
      act: .deliver, subject: "file", reason: "r", actor: "bob (account op)")
    let credit = Credit(effective: Instant(seconds: 1_728_000_000), points: 40, exp: -3)
    var first = CreditRecord(user: "u1", credit)
    first.by = 7
    var second = CreditRecord(user: "u1", credit)
    second.by = 9
    let made: [RecordBody] = [
      .operator(setting),
      .operator(OperatorRecord(act: .request, subject: "id", what: "w", reason: "r", actor: "ann")),
      .operator(agreed), .credit(first), .operator(alone), .credit(second),
    ]
    var state = Self.records(seed: 5, count: 4).reduce(into: LedgerState()) { $0.apply($1) }
    let at = Instant(seconds: 1_728_000_100)
    for (place, body) in made.enumerated() {
      state.apply(Record(seq: UInt64(5 + place), at: at, body: body))
    }
    let resumed = try StateSnapshot.read(StateSnapshot.write(state))
    for state in [state, resumed] {
      #expect(state.limits == limits)
      #expect(state.requests.all["id"]?.isUsed == true && state.requests.all["id"]?.round == 1)
      #expect(state.hands.given(by: limits.person("bob (account op)"), at: at) == ["points": 40])
      #expect(state.account(of: "u1")?.hand.given(at: at) == ["points": 40])
      let nextMonth = at.adding(seconds: 31 * 86_400)
      #expect(state.account(of: "u1")?.hand.given(at: nextMonth) == [:])
      #expect(state.hands.given(by: "op", at: at) == [:])
    }
  }

  @Test func rulesAndDrawKeyReturn() throws {
    var state = LedgerState()
    state.apply(
      Record(
        seq: 1, at: .earliest,
        body: .rules(
          RulesRecord(
            version: RulesDocument.builtIn.version, effectiveFrom: Day(number: 0),
            sha256: RulesDocument.builtIn.sha256, drawKey: "0123456789abcdef",
            document: RulesDocument.builtIn.canonicalText))))
    let read = try StateSnapshot.read(StateSnapshot.write(state))
    #expect(read.drawKey == "0123456789abcdef")
    #expect(read.rules.documents.map(\.version) == [RulesDocument.builtIn.version])
  }

  /// A document that leaves things out stays what it was; completed by rules that only a newer program has, it is not judged by others.
  @Test(
    arguments: [(nil, "uiSkin"), ("builtin-2", "buttonStyle"), ("builtin-9", nil)]
      as [(String?, String?)])
  func whatCompletesADocumentReturns(defaults: String?, skin: String?) throws {
    var state = LedgerState()
    state.apply(
      Record(
        seq: 1, at: .earliest,
        body: .rules(
          RulesRecord(
            version: "x", effectiveFrom: Day(number: 0), sha256: RulesDocument.builtIn.sha256,
            drawKey: "0123456789abcdef", defaults: defaults,
            document: #"{"version":"x","effectiveFrom":"1970-01-01"}"#))))
    let read = try StateSnapshot.read(StateSnapshot.write(state))
    for rules in [state.rules, read.rules] {
      #expect(rules.documents.first?.levels.rewards[15]?.item == skin)
      #expect(
        rules.problem?.contains("\"builtin-9\", which this program does not have") ?? false
          == (skin == nil))
    }
  }

  @Test(arguments: ["", "{}", #"{"book":1}"#, "{\"book\":2}\n{\"user\":1}", "nonsense"])
  func whatIsNoSnapshotIsRefused(text: String) {
    #expect(throws: BinaryError.self) { try StateSnapshot.read(Array(text.utf8)) }
  }
}
