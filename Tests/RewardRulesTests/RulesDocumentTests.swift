import CivilTime
import Digests
import Evidence
import RewardRules
import StrictJSON
import TestSupport
import Testing

@Suite("Rules documents", .offThePool)
struct RulesDocumentTests {
  /// One edit of the built-in text, and the place that the mistake must be reported at.
  struct Mutation: Sendable, CustomTestStringConvertible {
    let old: String
    let new: String
    let path: String
    let what: String
    var testDescription: String { "\(path) ← \(new.prefix(40))" }

    init(_ old: String, _ new: String, at path: String, _ what: String = "") {
      self.old = old
      self.new = new
      self.path = path
      self.what = what
    }
  }

  static let mutations: [Mutation] = [
    .init(#""version": "builtin-2","#, "", at: "version", "missing"),
    .init(#""builtin-2""#, #""""#, at: "version"),
    .init(#""builtin-2""#, #""a/b""#, at: "version"),
    .init(#""builtin-2""#, "7", at: "version", "text"),
    .init(#""effectiveFrom": "2000-01-01","#, "", at: "effectiveFrom", "missing"),
    .init("2000-01-01", "2000-02-30", at: "effectiveFrom", "YYYY-MM-DD"),
    .init("2000-01-01", "2000-1-1", at: "effectiveFrom"),
    .init(#""2000-01-01""#, "20000101", at: "effectiveFrom"),
    .init(
      #""missions": {"#, #""corrects": "builtin-2", "missions": {"#, at: "corrects", "itself"),
    .init(#""missions": {"#, #""corrects": 1, "missions": {"#, at: "corrects"),
    .init(#""missions": {"#, #""mission": {"#, at: "mission", #"did you mean "missions""#),
    .init(
      #""watch": {"points": 15"#, #""watch": {"pionts": 15"#, at: "missions.watch.pionts",
      #"did you mean "points""#),
    .init(
      #""watch": {"points": 15"#, #""watch": {"points": -15"#, at: "missions.watch.points",
      "from 0"),
    .init(#""watch": {"points": 15"#, #""watch": {"points": 1.5"#, at: "missions.watch.points"),
    .init(#""watch": {"points": 15"#, #""watch": {"points": "15""#, at: "missions.watch.points"),
    .init(
      #""watch": {"points""#, #""watch": {"minMinutes": 0, "points""#,
      at: "missions.watch.minMinutes",
      "from 1"),
    .init(
      #""stream": {"points""#, #""stream": {"minMinutes": 1441, "points""#,
      at: "missions.stream.minMinutes", "to 1440"),
    .init(
      #""gift": {"points""#, #""gift": {"minMinutes": 30, "points""#,
      at: "missions.gift.minMinutes",
      "has no duration"),
    .init(
      #"{"points": 25, "exp": 25}"#, #"{"minMinutes": 30, "exp": 25}"#,
      at: "streak.rewards[0].minMinutes", "unknown key"),
    .init(
      #""watch": {"points": 15"#, #""watch": {"points": 1000000000001"#,
      at: "missions.watch.points"),
    .init(
      #""gift": {"points": 20"#, #""gift": 20, "x": {"points": 20"#, at: "missions.gift", "object"),
    .init(#""gift": {"#, #""login": {"#, at: "missions.login", "reserved"),
    .init(#""gift": {"#, #""level": {"#, at: "missions.level", "reserved"),
    .init(#""gift": {"#, #""waived": {"#, at: "missions.waived", "reserved"),
    .init(#""gift": {"#, #""gifts": {"#, at: "missions.gifts", #"did you mean "gift""#),
    .init(#""overlaps""#, #""ends""#, at: "activity.counts", "starts"),
    .init(
      #""toleratedGapSeconds": 0"#, #""toleratedGapSeconds": -1"#,
      at: "activity.toleratedGapSeconds"),
    .init(#""openEndHours": 12"#, #""openEndHours": 0"#, at: "activity.openEndHours"),
    .init(
      #""openEndHours": 12"#, #""openEndHours": 12, "abandonedAfterHours": 0"#,
      at: "activity.abandonedAfterHours"),
    .init(#""openEndHours": 12"#, #""openHours": 12"#, at: "activity.openHours", "unknown key"),
    .init(
      #"["login", "stream","#, #"["login", "dance","#, at: "streak.countsAs[1]", "unknown kind"),
    .init(#"["login", "stream","#, #"["login", "login","#, at: "streak.countsAs[1]", "twice"),
    .init(
      #"["login", "stream", "watch", "gift", "comment", "follow", "share", "purchase"]"#, "[]",
      at: "streak.countsAs", "at least one"),
    .init(
      #"{"boosterDays": 1},"#, String(repeating: "{},", count: 26), at: "streak.rewards", "not 32"),
    .init(
      #"{"points": 25, "exp": 25}, {"item": "fontColor"}, {"points": 50, "exp": 50},"#, "2, ",
      at: "streak.rewards[0]", "object"),
    .init(#"{"boosterDays": 1}"#, #"{"boosterDays": -1}"#, at: "streak.rewards[5].boosterDays"),
    .init(#"{"coins": 50}"#, #"{"coins": -50}"#, at: "streak.rewards[6].coins"),
    .init(
      #"{"item": "backgroundColor"}"#, #"{"item": "backgroundColour"}"#,
      at: "streak.rewards[3].item", #"did you mean "backgroundColor""#),
    .init(#"{"item": "backgroundColor"}"#, #"{"item": 7}"#, at: "streak.rewards[3].item"),
    .init("2900, 3000", "2900", at: "levels.rewards.30", #"to "29""#),
    .init(
      "2900, 3000", "2900\(String(repeating: ", 3000", count: 72))", at: "levels.caps", "not 100"),
    .init("200, 300,", "200, null,", at: "levels.caps[1]", "level 2"),
    .init("200, 300,", "200, 0,", at: "levels.caps[1]"),
    .init("200, 300,", "-200, 300,", at: "levels.caps[0]"),
    .init(#""2": {"item""#, #""1": {"item""#, at: "levels.rewards.1"),
    .init(#""2": {"item""#, #""31": {"item""#, at: "levels.rewards.31"),
    .init(#""2": {"item""#, #""02": {"item""#, at: "levels.rewards.02"),
    .init(#""2": {"item""#, #""two": {"item""#, at: "levels.rewards.two"),
    .init(#"{"multiplier": 2}"#, #"{"multiplier": 0}"#, at: "booster.multiplier", "from 1"),
    .init(#"{"multiplier": 2}"#, "2", at: "booster", "object"),
    .init(
      #"["classic", "glass", "neon"]"#, "[]", at: "levels.rewards.15.item", "no items"),
    .init(
      #""buttonStyle": ["classic""#, #""buttonStyles": ["classic""#, at: "levels.rewards.15.item",
      #"did you mean "buttonStyles""#),
    .init(#""glass""#, #""classic""#, at: "catalogue.buttonStyle[1]", "twice"),
    .init(#""glass""#, #""gl/ass""#, at: "catalogue.buttonStyle[1]"),
    .init(#""glass""#, "3", at: "catalogue.buttonStyle[1]"),
    .init(#""emoji": ["cheers""#, #""*": [], "emoji": ["cheers""#, at: "catalogue.*"),
    .init(
      #"["rounded", "serif", "handwritten", "pixel"]"#, #""rounded""#, at: "catalogue.fontStyle"),
    .init(#""fallback": {"points": 50}"#, #""fallback": {"item": "emoji"}"#, at: "fallback.item"),
    .init(#""expPerUserDay": 2000"#, #""expPerUserDay": -1"#, at: "limits.expPerUserDay"),
    .init(#""expPerUserDay": 2000"#, #""expPerDay": 2000"#, at: "limits.expPerDay", "unknown key"),
    .init(
      #""limits": {"pointsPerUserDay": 1000, "expPerUserDay": 2000}"#, #""limits": null"#,
      at: "limits"),
    .init(#""watch": {"points": 15"#, #""gift": {"points": 15"#, at: "", "twice"),
    .init(#""missions": {"#, #""missions": "#, at: ""),
  ]

  @Test("a mistake is refused with its path", arguments: mutations)
  func refusesMutation(_ mutation: Mutation) throws {
    let text = RulesDocument.builtInText.replacing(
      mutation.old, with: mutation.new, maxReplacements: 1)
    try #require(text != RulesDocument.builtInText)
    guard case .failure(let refusal) = RulesDocument.parse(Array(text.utf8)) else {
      Issue.record("accepted")
      return
    }
    let fitting = refusal.problems.filter {
      $0.path == mutation.path && $0.what.contains(mutation.what)
    }
    #expect(!fitting.isEmpty, "\(refusal)")
  }

  @Test("tables may be short and long", arguments: [(1, 2), (31, 100), (7, 30), (3, 10)])
  func readsTablesOfAnyLength(_ row: (cycle: Int, highest: Int)) throws {
    let rewards = Array(repeating: "{}", count: row.cycle).joined(separator: ",")
    let caps = Array(repeating: "5", count: row.highest - 1).joined(separator: ",")
    let text = """
      {"version": "x", "effectiveFrom": "2026-01-01", "streak": {"rewards": [\(rewards)]},
       "levels": {"caps": [\(caps)], "rewards": {"\(row.highest)": {"coins": 1}}}}
      """
    let rules = try RulesDocument.parse(Array(text.utf8)).get()
    #expect(rules.streak.cycleLength == Int32(row.cycle))
    #expect(rules.levels.highest == Int32(row.highest))
    #expect(rules.levels.reward(of: Int32(row.highest))?.amounts.coins == 1)
    let short = """
      {"version": "x", "effectiveFrom": "2026-01-01", "levels": {"caps": [\(caps)]}}
      """
    let levels = try RulesDocument.parse(Array(short.utf8)).get().levels
    #expect(levels.rewards.count == min(31, row.highest + 1))
  }

  @Test("all mistakes are reported at once, each with its line")
  func reportsAll() throws {
    let text = """
      {
        "version": "x",
        "effectiveFrom": "soon",
        "missions": {"watch": {"points": -1}},
        "limitz": {}
      }
      """
    guard case .failure(let refusal) = RulesDocument.parse(Array(text.utf8)) else {
      Issue.record("accepted")
      return
    }
    #expect(refusal.problems.map(\.path) == ["effectiveFrom", "missions.watch.points", "limitz"])
    #expect(refusal.problems.map(\.line) == [3, 4, 5])
    #expect(refusal.problems.map(\.column) == [20, 36, 4])
    #expect(refusal.description.split(separator: "\n").count == 3)
  }

  @Test("a document over 48 KiB is refused, one of just that size is read")
  func refusesLarge() throws {
    let text = Array(RulesDocument.builtInText.utf8)
    let space = [UInt8](repeating: 0x20, count: RulesDocument.maximumBytes - text.count)
    #expect(try RulesDocument.parse(text + space).get().version == "builtin-2")
    guard case .failure(let refusal) = RulesDocument.parse(text + space + [0x20]) else {
      Issue.record("accepted")
      return
    }
    #expect(refusal.problems.map(\.what).first?.contains("48 KiB") == true)
  }

  @Test("only version and effectiveFrom are required; the rest is built in")
  func takesDefaults() throws {
    let text = #"{"version": "short", "effectiveFrom": "2026-01-01"}"#
    let rules = try RulesDocument.parse(Array(text.utf8)).get()
    #expect(rules.missions == RulesDocument.builtIn.missions)
    #expect(rules.streak == RulesDocument.builtIn.streak)
    #expect(rules.levels == RulesDocument.builtIn.levels)
    #expect(rules.catalogue == RulesDocument.builtIn.catalogue)
    #expect(rules.limits == RulesDocument.builtIn.limits)
    #expect(rules.activity == RulesDocument.builtIn.activity)
    #expect(rules.canonicalText == #"{"version":"short","effectiveFrom":"2026-01-01"}"#)
  }

  @Test("a list that is written is the whole list; a missing key of a section is built in")
  func takesWhatIsWritten() throws {
    let text = """
      {"version": "part", "effectiveFrom": "2026-01-01", // comments are fine
       "missions": {"gift": {"points": 1}}, "limits": {"pointsPerUserDay": 7},
       "activity": {"counts": "starts"}, "streak": {"countsAs": ["login", "watch"]}}
      """
    let rules = try RulesDocument.parse(Array(text.utf8)).get()
    #expect(rules.missions.kinds == [.init(.gift)])
    #expect(rules.missions[.gift].amounts.exp == 0)
    #expect(rules.limits.pointsPerUserDay == 7)
    #expect(rules.limits.expPerUserDay == 2_000)
    #expect(rules.activity.counts == .starts)
    #expect(rules.activity.openEndHours == 12)
    #expect(rules.activity.abandonedAfterHours == 72)
    #expect(rules.streak.rewards == RulesDocument.builtIn.streak.rewards)
    #expect(rules.neededKinds == KindSet([.gift, .login, .watch]))
  }

  @Test("a built-in reward whose category a shorter catalogue drops is named")
  func refusesDroppedCategory() throws {
    let text = #"{"version": "x", "effectiveFrom": "2026-01-01", "catalogue": {"emoji": ["a"]}}"#
    guard case .failure(let refusal) = RulesDocument.parse(Array(text.utf8)) else {
      Issue.record("accepted")
      return
    }
    #expect(refusal.problems.map(\.path).contains("streak.rewards[1].item"))
    #expect(refusal.problems.allSatisfy { $0.what.contains("built-in") })
  }

  @Test("a document without any items loads when nothing asks for one")
  func loadsWithoutItems() throws {
    let rewards = Array(repeating: #"{"points": 25, "exp": 25}"#, count: 7).joined(separator: ",")
    let caps = (0..<29).map { "\(200 + 100 * $0)" }.joined(separator: ",")
    let text = """
      {"version": "cases", "effectiveFrom": "2000-01-01",
       "missions": {"comment": {"points": 5, "exp": 5}},
       "activity": {"counts": "overlaps", "toleratedGapSeconds": 0, "openEndHours": 12},
       "streak": {"countsAs": ["login"], "rewards": [\(rewards)]},
       "levels": {"caps": [\(caps)], "rewards": {}},
       "booster": {"multiplier": 2}, "catalogue": {}, "fallback": {"points": 50},
       "limits": {"pointsPerUserDay": 1000, "expPerUserDay": 2000}}
      """
    let rules = try RulesDocument.parse(Array(text.utf8)).get()
    #expect(rules.neededKinds == KindSet([.comment, .login]))
    #expect(rules.levels.rewards.allSatisfy { $0 == nil })
    let starred = text.replacing(#""rewards": {}"#, with: #""rewards": {"5": {"item": "*"}}"#)
    #expect(throws: RulesProblems.self) { try RulesDocument.parse(Array(starred.utf8)).get() }
  }

  @Test("the built-in rules are the app's")
  func builtInValues() {
    let rules = RulesDocument.builtIn
    #expect(rules.missions.kinds.kinds.map(\.name).count == 7)
    #expect(rules.missions[.stream].amounts.points == 30)
    #expect(rules.missions[.purchase].amounts.exp == 50)
    #expect(rules.levels.caps == (0..<29).map { 200 + 100 * Int64($0) })
    #expect(
      rules.levels.rewards.indices.filter { rules.levels.rewards[$0] != nil } == [
        2, 5, 10, 15, 20, 25, 30,
      ])
    #expect(rules.streak.countsAs.kinds == ActivityKind.allCases)
    #expect(rules.streak.rewards.map(\.amounts.points) == [25, 0, 50, 0, 100, 0, 0])
  }

  @Test("the canonical text reads as the same rules; the hash is of the bytes as loaded")
  func canonicalTextReadsTheSame() throws {
    let first = RulesDocument.builtIn
    let again = try RulesDocument.parse(Array(first.canonicalText.utf8)).get()
    #expect(again.canonicalText == first.canonicalText)
    #expect(!first.canonicalText.contains(": ") && !first.canonicalText.contains("\n"))
    #expect(again.catalogue == first.catalogue)
    #expect(again.streak == first.streak)
    #expect(first.sha256 == SHA256.digest(of: Array(RulesDocument.builtInText.utf8)))
    #expect(again.sha256 != first.sha256)
  }

  @Test("a first day in a closed past needs corrects")
  func refusesClosedPast() throws {
    let plain = try Fixture.rules(["builtin-2": "new", "2000-01-01": "2026-11-20"])
    let closed = try #require(Day("2026-11-20"))
    #expect(plain.problem(lastClosed: nil) == nil)
    #expect(plain.problem(lastClosed: closed.adding(days: -1)) == nil)
    let problem = try #require(plain.problem(lastClosed: closed))
    #expect(problem.path == "effectiveFrom")
    #expect(problem.line == 3)
    let correcting = try Fixture.rules([
      "builtin-2": "new", #""missions": {"#: #""corrects": "old", "missions": {"#,
    ])
    #expect(correcting.problem(lastClosed: closed) == nil)
  }

  /// All levels count to the worth of a day, whatever their exp; an item may turn into the fallback.
  @Test(arguments: [
    (#"{"2": {"points": 5}, "4": {"points": 7}, "6": {"points": 7}}"#, 49, 30),
    (#"{"2": {"item": "emoji"}, "3": {"exp": 40}}"#, 33, 70),
    (#"{"2": {"points": 5000}}"#, 1_000, 30),
    (#"{}"#, 30, 30),
  ])
  func theBestDayHasItsLevels(rewards: String, points: Int64, exp: Int64) throws {
    let text = """
      {"version": "v", "effectiveFrom": "2026-11-01", "missions": {"share": {"points": 30, "exp": 30}},
       "streak": {"countsAs": ["login"], "rewards": [{"exp": 0}]}, "booster": {"multiplier": 1},
       "levels": {"caps": [10, 10, 10, 20, 10], "rewards": \(rewards)}, "fallback": {"points": 3},
       "limits": {"pointsPerUserDay": 1000, "expPerUserDay": 2000}}
      """
    let document = try RulesDocument.parse(Array(text.utf8)).get()
    #expect(document.bestDayWithLevels.points == points)
    #expect(document.bestDayWithLevels.exp == exp)
  }
}
