import CivilTime
import Evidence
import RewardRules
import TestSupport
import Testing

@Suite("The trace", .offThePool)
struct TraceTests {
  private static func trace(
    _ facts: DayFacts, _ account: AccountState = AccountState(), rules: RulesDocument = .builtIn,
    standing: RecordedKeys = RecordedKeys()
  ) -> [TraceStep] {
    var account = account
    var trace: [TraceStep]? = []
    _ = DayEvaluator(rules: rules).evaluate(
      facts, account: &account, standing: standing, user: Fixture.user, draws: Fixture.secret,
      trace: &trace)
    return trace ?? []
  }

  @Test("it tells in order what was looked at and decided")
  func tells() {
    var account = AccountState()
    account.streak.cycleDay = 5
    account.streak.length = 5
    account.exp = 185
    var facts = Fixture.facts([.gift: 60])
    facts.uncovered = .init(.stream)
    facts.gaps = [
      Gap(kind: .stream, from: Fixture.at(0), to: Fixture.at(600), cause: "timeout"),
      Gap(kind: .watch, from: Fixture.at(0), to: Fixture.at(1), cause: "not looked"),
    ]
    facts.watched.remove(.login)
    #expect(
      Self.trace(facts, account).map(\.description) == [
        "2024-10-04 in UTC, 2024-10-04T00:00:00Z to 2024-10-05T00:00:00Z; rules builtin-2",
        "no comment; the evidence covers the whole day",
        "no follow; the evidence covers the whole day",
        "gift at 2024-10-04T00:01:00Z, evidence 60",
        "no source for login is configured",
        "no purchase; the evidence covers the whole day",
        "no share; the evidence covers the whole day",
        "no evidence from 2024-10-04T00:00:00Z to 2024-10-04T00:10:00Z (API did not answer in time)",
        "no watch; the evidence covers the whole day",
        "streak: day counted; length 5 to 6, cycle day 5 to 6",
        "login: granted at 2024-10-04T00:01:00Z: booster 2024-10-04T00:01:00Z to "
          + "2024-10-05T00:01:00Z",
        "gift: exp × 2, a booster runs until 2024-10-05T00:01:00Z",
        "gift: granted at 2024-10-04T00:01:00Z: 20 points, 20 × 2 = 40 exp",
        "level 2 reached at 2024-10-04T00:01:00Z",
        "level 2: drew levelLabel/levelLabel",
        "level 2: granted at 2024-10-04T00:01:00Z: levelLabel/levelLabel",
      ])
  }

  @Test("it tells why something did not happen")
  func tellsRefusals() throws {
    let rules = try Fixture.rules([#""pointsPerUserDay": 1000"#: #""pointsPerUserDay": 18"#])
    var standing = RecordedKeys()
    standing.reversed = [.mission(Fixture.day, .watch), .level(2)]
    standing.heldBack = [.mission(Fixture.day, .comment)]
    var account = AccountState()
    account.isStreakPending = true
    account.exp = 195
    var facts = Fixture.facts(
      [.watch: 1, .gift: 2, .comment: 3],
      credits: [Credit(effective: Fixture.at(0), exp: 5, items: ["emoji/cheers"])])
    facts.isExcused = true
    let texts = Self.trace(facts, account, rules: rules, standing: standing).map(\.description)
    let expected = [
      "an outage or a pardon was declared for this day",
      "streak: waits until this day and those before it are decided",
      "credited or given by hand at 2024-10-04T00:00:00Z: 5 exp, emoji/cheers",
      "level 2: not granted, because it was reversed",
      "watch: not granted, because it was reversed",
      "gift: held back (20 points, 20 exp): the day's points would be 20, above the limit of 18",
      "comment: held back (5 points, 5 exp): it was held back before and has not been released",
    ]
    for text in expected { #expect(texts.contains(text), "\(text) in \(texts)") }
  }

  @Test("a day without a streak says so, whatever it does to streaks")
  func namesNoStreak() {
    for (isExcused, uncovered, words) in [
      (false, KindSet(), "day missed"), (true, KindSet(), "day held by the outage or pardon"),
      (false, .init(.watch), "day held, because something that counts may have been missed"),
    ] {
      var facts = Fixture.facts([:])
      (facts.isExcused, facts.uncovered) = (isExcused, uncovered)
      let texts = Self.trace(facts).map(\.description)
      #expect(texts.contains("streak: none to lose (\(words))"), "\(texts)")
    }
  }

  @Test("each step names its mission, so that one mission can be explained alone")
  func namesMissions() {
    let steps = Self.trace(Fixture.facts([.gift: 60]))
    #expect(steps.filter { $0.mission == "gift" }.count == 2)
    #expect(steps.filter { $0.mission == "login" }.count == 3)
    #expect(steps.first?.mission == nil)
  }

  @Test("a trace changes nothing")
  func changesNothing() {
    var traced = AccountState()
    var trace: [TraceStep]? = []
    let facts = Fixture.facts([.gift: 60, .watch: 50])
    let first = DayEvaluator(rules: .builtIn).evaluate(
      facts, account: &traced, standing: RecordedKeys(), user: Fixture.user, draws: Fixture.secret,
      trace: &trace)
    var plain = AccountState()
    let second = Fixture.evaluate(facts, &plain)
    #expect(first.grants == second.grants)
    #expect(traced == plain)
  }
}
