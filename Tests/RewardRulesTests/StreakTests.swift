import CivilTime
import Evidence
import RewardRules
import TestSupport
import Testing

@Suite("The login streak", .offThePool)
struct StreakTests {
  /// What is known of a day, and what it does to the streak.
  struct Row: Sendable, CustomTestStringConvertible {
    var met: KindSet = []
    var uncovered: KindSet = []
    var watched: KindSet = .all
    var isExcused = false
    var isClosing = true
    var isShortened = false
    let expected: DayOutcome.StreakClass
    var testDescription: String {
      "met \(met.rawValue) uncovered \(uncovered.rawValue) watched \(watched.rawValue) excused "
        + "\(isExcused) closing \(isClosing) shortened \(isShortened): \(expected)"
    }
  }

  static let rows: [Row] = [
    .init(expected: .missed),
    .init(isClosing: false, expected: .missed),
    .init(met: .init(.watch), expected: .counted),
    .init(met: .init(.watch), isClosing: false, expected: .counted),
    .init(met: .init(.watch), uncovered: .init(.gift), isExcused: true, expected: .counted),
    .init(met: .init(.watch), watched: [], isShortened: true, expected: .counted),
    .init(uncovered: .init(.gift), expected: .held),
    .init(uncovered: .init(.gift), isClosing: false, expected: .pending),
    .init(uncovered: .init(.gift), watched: .init(.login), expected: .missed),
    .init(uncovered: .all, watched: [], expected: .held),
    .init(watched: [], expected: .held),
    .init(watched: [], isClosing: false, expected: .pending),
    .init(isExcused: true, expected: .excused),
    .init(uncovered: .all, isExcused: true, expected: .excused),
    .init(uncovered: .all, isExcused: true, isClosing: false, expected: .pending),
    .init(isExcused: true, isClosing: false, expected: .excused),
    .init(isShortened: true, expected: .held),
    .init(isClosing: false, isShortened: true, expected: .held),
    .init(uncovered: .init(.gift), isShortened: true, expected: .held),
    .init(uncovered: .init(.gift), isClosing: false, isShortened: true, expected: .pending),
    .init(isExcused: true, isShortened: true, expected: .excused),
  ]

  @Test("what is known decides the class", arguments: rows)
  func classifies(_ row: Row) {
    var facts = DayFacts(window: Fixture.window(isShortened: row.isShortened))
    for kind in row.met.kinds { facts[kind] = EarliestEvidence(effective: Fixture.at(60), seq: 1) }
    facts.uncovered = row.uncovered
    facts.watched = row.watched
    facts.isExcused = row.isExcused
    facts.isClosing = row.isClosing
    var account = AccountState()
    account.streak = StreakState().counting(Fixture.day.adding(days: -1), cycleLength: 7)
    let before = account.streak
    let outcome = Fixture.evaluate(facts, &account)

    #expect(outcome.streakClass == row.expected)
    #expect(outcome.streakBefore == before)
    #expect(outcome.streakAfter == account.streak)
    #expect(account.isStreakPending == (row.expected == .pending))
    switch row.expected {
    case .counted: #expect(account.streak == before.counting(Fixture.day, cycleLength: 7))
    case .missed: #expect(account.streak == before.broken())
    case .held, .excused, .pending: #expect(account.streak == before)
    }
  }

  @Test("only listed kinds count")
  func countsListedKinds() throws {
    let rules = try Fixture.rules([
      #"["login", "stream", "watch", "gift", "comment", "follow", "share", "purchase"]"#:
        #"["login"]"#
    ])
    var account = AccountState()
    let outcome = Fixture.evaluate(Fixture.facts([.gift: 5]), &account, rules: rules)
    #expect(outcome.streakClass == .missed)
    #expect(outcome.missions == ["gift"])
  }

  @Test("seven counted days go round; the eighth begins again")
  func runsTheCycle() {
    var account = AccountState()
    let rewards = (0..<8).compactMap { index in
      let facts = Fixture.facts([.login: 10], on: Fixture.day.adding(days: Int32(index)))
      return Fixture.evaluate(facts, &account)["login"]
    }
    #expect(rewards.map(\.streak?.cycleDay) == [1, 2, 3, 4, 5, 6, 7, 1])
    #expect(rewards.map(\.streak?.length) == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(rewards.map(\.reward.points) == [25, 0, 50, 0, 100, 0, 0, 25])
    #expect(rewards.map(\.reward.baseExp) == [25, 0, 50, 0, 100, 0, 0, 25])
    #expect(rewards.map(\.reward.coins) == [0, 0, 0, 0, 0, 0, 50, 0])
    let items = rewards.flatMap(\.reward.items).map { $0.prefix { $0 != "/" } }
    #expect(items == ["fontColor", "backgroundColor"])
    #expect(rewards[5].reward.booster?.from == rewards[5].effective)
  }

  @Test("a cycle has as many days as the rules have rewards", arguments: [1, 2, 10, 31])
  func runsCyclesOfAnyLength(count: Int) throws {
    let rewards = (1...count).map { "{\"points\": \($0)}" }.joined(separator: ", ")
    let text = """
      {"version": "x", "effectiveFrom": "2000-01-01", "streak": {"rewards": [\(rewards)]}}
      """
    let rules = try RulesDocument.parse(Array(text.utf8)).get()
    var account = AccountState()
    let points = (0..<count + 2).compactMap { index in
      let facts = Fixture.facts([.login: 10], on: Fixture.day.adding(days: Int32(index)))
      return Fixture.evaluate(facts, &account, rules: rules)["login"]?.reward.points
    }
    #expect(points == (0..<count + 2).map { Int64($0 % count) + 1 })
  }

  @Test(
    "a cycle day that other rules had is followed by the next, or by the first where these have none",
    arguments: [(3, 7, 4), (7, 7, 1), (7, 10, 8), (20, 7, 1), (31, 31, 1), (0, 1, 1), (1, 1, 1)])
  func goesOnUnderOtherRules(_ row: (before: Int32, cycle: Int32, next: Int32)) {
    var streak = StreakState()
    streak.length = row.before
    streak.cycleDay = row.before
    let next = streak.counting(Fixture.day, cycleLength: row.cycle)
    #expect(next.cycleDay == row.next)
    #expect(next.length == row.before + 1)
  }

  @Test("a break starts the cycle anew and keeps the longest; held and excused days change nothing")
  func foldsDays() {
    var account = AccountState()
    var number: Int32 = 0
    var lengths: [Int32] = []
    var cycleDays: [Int32] = []
    for letter in "cchcexcmmhcc" {
      var facts = Fixture.facts(on: Fixture.day.adding(days: number))
      if letter == "c" || letter == "x" {
        facts = Fixture.facts([.stream: 3], on: facts.window.day)
      }
      if letter == "h" { facts.uncovered = .init(.share) }
      if letter == "e" || letter == "x" { facts.isExcused = true }
      _ = Fixture.evaluate(facts, &account)
      lengths.append(account.streak.length)
      cycleDays.append(account.streak.cycleDay)
      number += 1
    }
    #expect(lengths == [1, 2, 2, 3, 3, 4, 5, 0, 0, 0, 1, 2])
    #expect(cycleDays == [1, 2, 2, 3, 3, 4, 5, 0, 0, 0, 1, 2])
    #expect(account.streak.longest == 5)
    #expect(account.streak.lastDay == Fixture.day.adding(days: 11))
  }

  @Test("after an undecided day no login is granted, but missions are; a second look decides")
  func waitsForPendingDays() {
    var account = AccountState()
    account.streak = StreakState().counting(Fixture.day.adding(days: -1), cycleLength: 7)
    let closed = account
    var open = Fixture.facts()
    open.isClosing = false
    open.uncovered = .init(.watch)
    var next = Fixture.facts([.gift: 60], on: Fixture.day.adding(days: 1))
    next.isClosing = false

    #expect(Fixture.evaluate(open, &account).streakClass == .pending)
    let waiting = Fixture.evaluate(next, &account)
    #expect(waiting.streakClass == .counted)
    #expect(waiting.missions == ["gift"])
    #expect(account.streak == closed.streak)
    #expect(account.isStreakPending)

    account = closed
    open[.watch] = EarliestEvidence(effective: Fixture.at(80_000), seq: 9)
    #expect(Fixture.evaluate(open, &account)["login"]?.streak?.cycleDay == 2)
    #expect(Fixture.evaluate(next, &account)["login"]?.streak?.cycleDay == 3)
  }

  @Test("a length at the end of its range stays there")
  func saturatesLength() {
    var account = AccountState()
    account.streak.length = .max
    account.streak.cycleDay = -3
    let outcome = Fixture.evaluate(Fixture.facts([.login: 1]), &account)
    #expect(outcome.streakAfter.length == .max)
    #expect(outcome.streakAfter.cycleDay == 1)
  }
}
