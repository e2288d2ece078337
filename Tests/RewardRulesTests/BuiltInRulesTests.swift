import CivilTime
import Evidence
import RewardRules
import StrictJSON
import TestSupport
import Testing

/// The app's own rules: what its shop sells, what its missions are called, and those of earlier versions.
@Suite(.offThePool) struct BuiltInRulesTests {
  @Test func theCatalogueIsWhatTheAppHas() {
    let counts = RulesDocument.builtIn.catalogue.categories.map { "\($0.name) \($0.items.count)" }
    #expect(
      counts == [
        "buttonStyle 3", "backgroundImage 6", "backgroundColor 6", "fontColor 6", "fontStyle 4",
        "emoji 5", "animatedEmoji 5", "levelLabel 1",
      ])
  }

  /// Who owns all that the shop sells gets the fallback at level 5, and never the label of a level.
  @Test func level5DrawsAmongWhatTheShopSells() throws {
    func reward(owning items: [String]) throws -> Reward? {
      var account = AccountState()
      account.level = 4
      account.owned = Set(items)
      var noTrace: [TraceStep]?
      let credit = Credit(effective: Fixture.at(5), exp: 500, items: [])
      return DayEvaluator(rules: .builtIn).evaluate(
        Fixture.facts(credits: [credit]), account: &account, standing: RecordedKeys(), user: "ann",
        draws: DrawSecret(Array("0123456789abcdef".utf8)), trace: &noTrace)["level"]?.reward
    }
    let all = RulesDocument.builtIn.catalogue.categories.filter { $0.name != "levelLabel" }
      .flatMap(\.items)
    for item in all {
      #expect(try reward(owning: all.filter { $0 != item })?.items == [item])
    }
    let nothingLeft = try #require(try reward(owning: all))
    #expect(nothingLeft.items == [] && nothingLeft.points == 50)
  }

  @Test func missionsHaveTitles() {
    let missions = RulesDocument.builtIn.missions
    let comment = missions.title(of: "comment")
    #expect(comment?.text() == "Comment once" && comment?.text(in: "ja-JP") == "1回コメントする")
    #expect(comment?.text(in: "fr") == "Comment once")
    #expect(missions.kinds.kinds.allSatisfy { missions.title(of: $0.name)?.texts.count == 2 })
    #expect(missions.title(of: "login") == nil)
  }

  /// What a recorded document leaves out comes from the built-in rules that it names; 1.0.0 named none.
  @Test(
    arguments: [
      (nil, "uiSkin", nil), ("builtin-1", "uiSkin", nil),
      ("builtin-2", "buttonStyle", "Comment once"),
    ] as [(String?, String, String?)])
  func aRecordedDocumentStaysWhatItWas(defaults: String?, skin: String, title: String?) throws {
    let text = #"{"version":"x","effectiveFrom":"2026-01-01"}"#
    let rules = try RulesDocument.parse(recorded: text, completedBy: defaults)
    #expect(rules.levels.rewards[15]?.item == skin)
    #expect(rules.missions.title(of: "comment")?.text() == title)
    #expect(rules.defaults == defaults ?? "builtin-1" && rules.canonicalText == text)
  }

  @Test func unknownBuiltInRulesAreNotGuessed() {
    #expect(throws: RulesDocument.UnknownBuiltIn.self) {
      try RulesDocument.parse(
        recorded: #"{"version":"x","effectiveFrom":"2026-01-01"}"#, completedBy: "builtin-9")
    }
  }

  @Test(arguments: [
    (#""shop": ["emojy"]"#, "shop[0]", #"no category "emojy"; did you mean "emoji""#),
    (#""shop": ["emoji", "emoji"]"#, "shop[1]", "twice"), (#""shop": "emoji""#, "shop", "array"),
    (#""shop": []"#, "levels.rewards.5.item", "no category of the shop has one"),
    (#""missions": {"gift": {"title": {}}}"#, "missions.gift.title", "one language"),
    (#""missions": {"gift": {"title": "Gift"}}"#, "missions.gift.title", "object"),
    (#""missions": {"gift": {"title": {"en": ""}}}"#, "missions.gift.title.en", "1 to 128"),
    (#""missions": {"gift": {"title": {"en": 7}}}"#, "missions.gift.title.en", "text"),
    (#""missions": {"gift": {"title": {"e n": "x"}}}"#, "missions.gift.title.e n", "a language"),
  ])
  func everyMistakeHasItsPlace(part: String, path: String, what: String) throws {
    let text = #"{"version": "x", "effectiveFrom": "2026-01-01", \#(part)}"#
    guard case .failure(let refusal) = RulesDocument.parse(Array(text.utf8)) else {
      Issue.record("accepted")
      return
    }
    let found = try #require(refusal.problems.first { $0.path == path }, "\(refusal)")
    #expect(found.what.contains(what), "\(found)")
  }
}
