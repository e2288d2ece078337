import CivilTime
import Evidence
import Foundations
import RewardRules
import StrictJSON
import TestSupport
import Testing

@Suite("Properties, from seeds", .offThePool)
struct PropertyTests {
  static let seeds: ClosedRange<UInt64> = 1...60

  /// Rules with amounts, limits and rewards from a seed.
  private static func rules(_ numbers: inout SplitMix64) throws -> RulesDocument {
    func amounts(_ numbers: inout SplitMix64) -> String {
      let exp = Int.random(in: 0...400, using: &numbers)
      let extra = [
        "", #", "item": "*""#, #", "item": "emoji""#, #", "boosterDays": 1"#, #", "coins": 4"#,
      ].randomElement(using: &numbers)
      return
        #"{"points": \#(Int.random(in: 0...60, using: &numbers)), "exp": \#(exp)\#(extra ?? "")}"#
    }
    let missions = ActivityKind.allCases.filter { $0 != .login && Bool.random(using: &numbers) }
      .map { #""\#($0.name)": \#(amounts(&numbers))"# }.joined(separator: ",")
    let cycle = (0..<Int.random(in: 1...31, using: &numbers)).map { _ in amounts(&numbers) }.joined(
      separator: ",")
    let highest = Int.random(in: 2...100, using: &numbers)
    let caps = (1..<highest).map { _ in "\(Int.random(in: 1...500, using: &numbers))" }
      .joined(separator: ",")
    let levels = (2...highest).filter { _ in Bool.random(using: &numbers) }
      .map { #""\#($0)": \#(amounts(&numbers))"# }.joined(separator: ",")
    let text = """
      {"version": "random", "effectiveFrom": "2000-01-01", "missions": {\(missions)},
       "streak": {"rewards": [\(cycle)]}, "levels": {"caps": [\(caps)], "rewards": {\(levels)}},
       "booster": {"multiplier": \(Int.random(in: 1...3, using: &numbers))},
       "limits": {"pointsPerUserDay": \(Int.random(in: 0...200, using: &numbers)),
                  "expPerUserDay": \(Int.random(in: 0...1500, using: &numbers))}}
      """
    return try RulesDocument.parse(Array(text.utf8)).get()
  }

  /// A closing day with evidence and credits from a seed, many of them at the same instants.
  private static func facts(on day: Day, _ numbers: inout SplitMix64) -> DayFacts {
    var facts = DayFacts(window: Fixture.window(day))
    facts.isClosing = true
    facts.isExcused = Int.random(in: 0..<8, using: &numbers) == 0
    facts.uncovered = KindSet(rawValue: UInt16.random(in: 0...3, using: &numbers))
    for kind in ActivityKind.allCases where Int.random(in: 0..<3, using: &numbers) == 0 {
      let second = Int64.random(in: 0...6, using: &numbers) * 1_000
      facts[kind] = EarliestEvidence(
        effective: Fixture.at(second, of: day), seq: numbers.next() >> 1)
    }
    for _ in 0..<Int.random(in: 0...2, using: &numbers) {
      let second = Int64.random(in: 0...6, using: &numbers) * 1_000
      let items = Bool.random(using: &numbers) ? ["emoji/food"] : []
      facts.credits.append(
        Credit(
          effective: Fixture.at(second, of: day), exp: Int64.random(in: 0...300, using: &numbers),
          items: items))
    }
    return facts
  }

  /// A month of one user: the days, and what stood before each.
  private static func month(
    seed: UInt64, _ body: (RulesDocument, DayFacts, AccountState, DayOutcome, AccountState) -> Void
  ) throws {
    var numbers = SplitMix64(seed: seed)
    let rules = try rules(&numbers)
    var account = AccountState()
    for index in 0..<30 {
      let facts = facts(on: Fixture.day.adding(days: Int32(index)), &numbers)
      let before = account
      let outcome = Fixture.evaluate(facts, &account, rules: rules)
      body(rules, facts, before, outcome, account)
    }
  }

  @Test("the order in which credits and evidence arrive does not matter", arguments: seeds)
  func ignoresArrival(seed: UInt64) throws {
    var numbers = SplitMix64(seed: seed)
    try Self.month(seed: seed) { rules, facts, before, outcome, after in
      var shuffled = DayFacts(window: facts.window)
      shuffled.isClosing = true
      shuffled.isExcused = facts.isExcused
      shuffled.uncovered = facts.uncovered
      for kind in facts.met.kinds.shuffled(using: &numbers) { shuffled[kind] = facts[kind] }
      shuffled.credits = facts.credits.shuffled(using: &numbers)
      var account = before
      let again = Fixture.evaluate(shuffled, &account, rules: rules)
      #expect(again.grants == outcome.grants, "seed \(seed), \(facts.window.day)")
      #expect(again.heldBack == outcome.heldBack)
      #expect(account == after)
    }
  }

  @Test("judged again on what its own grants left, a day demands the same", arguments: seeds)
  func isIdempotent(seed: UInt64) throws {
    try Self.month(seed: seed) { rules, facts, before, outcome, after in
      var standing = RecordedKeys()
      for grant in outcome.grants {
        standing.granted[grant.key] = grant.reward
        if case .level(let level) = grant.key { standing.levelDays[level] = grant.day }
      }
      standing.heldBack = Set(outcome.heldBack.map(\.key))
      var account = before
      let again = Fixture.evaluate(facts, &account, rules: rules, standing: standing)
      #expect(again.grants == outcome.grants, "seed \(seed), \(facts.window.day)")
      #expect(again.heldBack == outcome.heldBack)
      #expect(account == after)
    }
  }

  @Test("without a release no day passes a limit", arguments: seeds)
  func keepsLimits(seed: UInt64) throws {
    try Self.month(seed: seed) { rules, facts, _, outcome, _ in
      let points = outcome.grants.reduce(0) { $0 + $1.reward.points }
      let exp = outcome.grants.reduce(0) { $0 + $1.reward.exp }
      #expect(points <= rules.limits.pointsPerUserDay, "seed \(seed), \(facts.window.day)")
      #expect(exp <= rules.limits.expPerUserDay, "seed \(seed), \(facts.window.day)")
    }
  }

  @Test("levels follow from the sum of exp; rewards come once a level", arguments: seeds)
  func levelsFollowFromSum(seed: UInt64) throws {
    var sum: Int64 = 0
    var rewarded: [Int] = []
    try Self.month(seed: seed) { rules, facts, _, outcome, after in
      sum += outcome.grants.reduce(0) { $0 + $1.reward.exp }
      sum += facts.credits.reduce(0) { $0 + $1.amounts.exp }
      var level: Int32 = 1
      var left = sum
      while level < rules.levels.highest, left >= rules.levels.caps[Int(level) - 1] {
        left -= rules.levels.caps[Int(level) - 1]
        level += 1
      }
      #expect(after.level == level, "seed \(seed), \(facts.window.day)")
      #expect(after.exp == left)
      for case .level(let number) in outcome.grants.map(\.key) { rewarded.append(number) }
    }
    #expect(Set(rewarded).count == rewarded.count, "seed \(seed)")
  }

  @Test(
    "grants are in the order of the spec; the booster explains each multiplier", arguments: seeds)
  func explainsMultipliers(seed: UInt64) throws {
    func rank(_ key: RewardKey) -> Int {
      switch key {
      case .login: 0
      case .mission(_, let kind): 1 + Int(kind.rawValue)
      case .level(let number): 100 + number
      }
    }
    var boosters: [BoosterWindow] = []
    try Self.month(seed: seed) { rules, facts, _, outcome, _ in
      let sorted = outcome.grants.sorted {
        ($0.effective, rank($0.key)) < ($1.effective, rank($1.key))
      }
      #expect(outcome.grants == sorted, "seed \(seed), \(facts.window.day)")
      for grant in outcome.grants {
        let runs = boosters.contains { $0.from <= grant.effective && grant.effective < $0.until }
        let factor = runs && grant.reward.baseExp != 0 ? rules.boosterMultiplier : 1
        #expect(grant.reward.multiplier == factor, "seed \(seed), \(grant.key)")
        #expect(grant.reward.exp == grant.reward.baseExp * factor)
        if let booster = grant.reward.booster { boosters.append(booster) }
      }
    }
  }

  @Test("an item is drawn once, and never one that is owned", arguments: seeds)
  func neverRepeatsItems(seed: UInt64) throws {
    try Self.month(seed: seed) { _, facts, before, outcome, after in
      let items = outcome.grants.flatMap(\.reward.items)
      #expect(Set(items).count == items.count, "seed \(seed), \(facts.window.day)")
      #expect(before.owned.isDisjoint(with: items))
      let expected = before.owned.union(items).union(facts.credits.flatMap(\.items))
      #expect(after.owned == expected)
    }
  }

  @Test("one number made negative is refused at its path", arguments: seeds)
  func refusesNegatives(seed: UInt64) throws {
    var numbers = SplitMix64(seed: seed)
    let root = try JSONNode.parse(Array(RulesDocument.builtInText.utf8))
    var places: [(path: String, offset: Int)] = []
    Self.collectNumbers(root, path: "", into: &places)
    let place = try #require(places.randomElement(using: &numbers))
    var text = Array(RulesDocument.builtInText.utf8)
    // -0 is no negative number, so a digit goes with the sign.
    text.insert(contentsOf: "-1".utf8, at: place.offset)
    guard case .failure(let refusal) = RulesDocument.parse(text) else {
      Issue.record("seed \(seed): accepted at \(place.path)")
      return
    }
    #expect(refusal.problems.map(\.path) == [place.path], "seed \(seed)")
  }

  private static func collectNumbers(
    _ node: JSONNode, path: String, into places: inout [(path: String, offset: Int)]
  ) {
    if case .number = node.content { places.append((path, node.offset)) }
    for (index, element) in (node.elements ?? []).enumerated() {
      collectNumbers(element, path: "\(path)[\(index)]", into: &places)
    }
    for member in node.members ?? [] {
      let inner = path.isEmpty ? member.key : "\(path).\(member.key)"
      collectNumbers(member.value, path: inner, into: &places)
    }
  }

  @Test("no bytes make the parser crash", arguments: seeds)
  func survivesNoise(seed: UInt64) {
    var numbers = SplitMix64(seed: seed)
    let original = Array(RulesDocument.builtInText.utf8)
    for _ in 0..<50 {
      var text = original
      for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        let index = Int.random(in: 0..<text.count, using: &numbers)
        switch Int.random(in: 0..<3, using: &numbers) {
        case 0: text[index] = UInt8.random(in: 0...255, using: &numbers)
        case 1: text.remove(at: index)
        default: text.removeSubrange(index..<min(index + 40, text.count))
        }
      }
      switch RulesDocument.parse(text) {
      case .success(let rules): #expect((1...99).contains(rules.levels.caps.count), "seed \(seed)")
      case .failure(let refusal): #expect(!refusal.problems.isEmpty, "seed \(seed)")
      }
    }
  }
}
