import CivilTime
import Digests
import Evidence
import Foundation
import RewardRules
import StrictJSON
import TestSupport
import Testing

@Suite("Random rewards", .offThePool)
struct DrawTests {
  /// A row of `Tables/draws.json`, which `draws.py` writes.
  private struct Row: Decodable {
    let secret: String
    let fingerprint: String
    let user: String
    let level: Int
    let choice: String
    let owned: [String]
    let item: String?
  }

  private struct Table: Decodable {
    let rows: [Row]
  }

  /// Rules in which reaching `level` by 200 exp gives an item of `choice`, from the table's catalogue.
  private static func rules(level: Int, choice: String, catalogue: String) throws -> RulesDocument {
    let text = """
      {"version": "draws", "effectiveFrom": "2020-01-01",
       "streak": {"rewards": [{}, {}, {}, {}, {}, {}, {}]},
       "levels": {"caps": [\(Array(repeating: "200", count: 29).joined(separator: ","))],
                  "rewards": {"\(level)": {"item": "\(choice)"}}},
       "catalogue": \(catalogue)}
      """
    return try RulesDocument.parse(Array(text.utf8)).get()
  }

  @Test("draws are those of Python's hmac")
  func matchesPython() throws {
    let file = try #require(
      Bundle.module.url(forResource: "draws", withExtension: "json", subdirectory: "Tables"))
    let data = try Data(contentsOf: file)
    var catalogue = JSONWriter()
    catalogue.node(try #require(try JSONNode.parse(Array(data))["catalogue"]))
    let rows = try JSONDecoder().decode(Table.self, from: data).rows
    #expect(rows.count > 100)
    for row in rows {
      let rules = try Self.rules(level: row.level, choice: row.choice, catalogue: catalogue.text)
      let secret = DrawSecret(try #require(Self.bytes(hex: row.secret)))
      var account = AccountState()
      account.level = Int32(row.level) - 1
      account.owned = Set(row.owned)
      let credit = Credit(effective: Fixture.at(5), exp: 200, items: [])
      var noTrace: [TraceStep]?
      let outcome = DayEvaluator(rules: rules).evaluate(
        Fixture.facts(credits: [credit]), account: &account, standing: RecordedKeys(),
        user: row.user, draws: secret, trace: &noTrace)
      let reward = try #require(outcome["level"]?.reward)
      #expect(reward.items == row.item.map { [$0] } ?? [], "\(row)")
      #expect(reward.points == (row.item == nil ? 50 : 0))
      #expect(account.owned == Set(row.owned + reward.items))
      #expect(secret.fingerprint == row.fingerprint)
    }
  }

  private static func bytes(hex: String) -> [UInt8]? {
    let digits = Array(hex)
    guard digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).compactMap { index in
      UInt8(String(digits[index...index + 1]), radix: 16)
    }
  }

  /// HMAC-SHA256 as RFC 2104 defines it.
  private static func plainCode(_ message: String, _ key: [UInt8]) -> Digest {
    let key = key.count > 64 ? SHA256.digest(of: key).bytes : key
    let block = key + [UInt8](repeating: 0, count: 64 - key.count)
    let inner = SHA256.digest(of: block.map { $0 ^ 0x36 } + Array(message.utf8))
    return SHA256.digest(of: block.map { $0 ^ 0x5C } + inner.bytes)
  }

  @Test("a prepared key gives the codes of the plain function, for keys of every length")
  func preparesKeys() {
    for length in [0, 1, 31, 32, 63, 64, 65, 127, 128, 129, 1_000] {
      let key = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      for message in ["", "user/fontColor/red", String(repeating: "長い", count: 100)] {
        #expect(HMACKey(key).code(message) == Self.plainCode(message, key))
        #expect(HMACKey(key).code(message, "/red") == HMACKey(key).code(message + "/red"))
      }
    }
  }

  @Test("one prepared key serves many threads at once")
  func sharesKey() async {
    let secret = Array("shared".utf8)
    let key = HMACKey(secret)
    let wrong = await withTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          (0..<500).count { number in
            let message = "\(task)/\(number)"
            return key.code(message) != Self.plainCode(message, secret)
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
  }

  @Test("a category is drawn without repetition until nothing is left, then the fallback is given")
  func exhaustsCategory() throws {
    let rules = try Fixture.rules([
      #"{"points": 25, "exp": 25}, {"item": "fontColor"}"#:
        #"{"item": "fontColor"}, {"item": "fontColor"}"#
    ])
    var account = AccountState()
    var drawn: [String] = []
    for number in 0..<6 {
      account.streak.cycleDay = Int32(number % 2)
      let facts = Fixture.facts([.login: 5], on: Fixture.day.adding(days: Int32(number)))
      drawn += try #require(Fixture.evaluate(facts, &account, rules: rules)["login"]).reward.items
    }
    #expect(Set(drawn) == Set(rules.catalogue["fontColor"]?.items ?? []))
    #expect(drawn.count == 6)
    account.streak.cycleDay = 1
    let last = Fixture.facts([.login: 5], on: Fixture.day.adding(days: 9))
    let reward = try #require(Fixture.evaluate(last, &account, rules: rules)["login"]).reward
    #expect(reward.items.isEmpty)
    #expect(reward.points == 50)
  }

  @Test("two draws of one day differ")
  func drawsTwiceADay() throws {
    let rules = try Fixture.rules([
      #""2": {"item": "levelLabel"}"#: #""2": {"item": "fontColor"}, "3": {"item": "fontColor"}"#
    ])
    var account = AccountState()
    account.streak.cycleDay = 1
    let credit = Credit(effective: Fixture.at(5), exp: 500, items: [])
    let outcome = Fixture.evaluate(
      Fixture.facts([.login: 5], credits: [credit]), &account, rules: rules)
    #expect(outcome.missions == ["login", "level 2", "level 3"])
    #expect(Set(outcome.grants.flatMap(\.reward.items)).count == 3)
  }

  @Test("the fallback's exp is multiplied, and its booster runs, like any other")
  func givesWholeFallback() throws {
    let rules = try Fixture.rules([
      #""fallback": {"points": 50}"#:
        #""fallback": {"points": 1, "exp": 10, "coins": 3, "boosterDays": 1}"#
    ])
    var account = AccountState()
    account.streak.cycleDay = 1
    account.boosterUntil = Fixture.at(50)
    account.owned = Set(rules.catalogue["fontColor"]?.items ?? [])
    let reward = try #require(
      Fixture.evaluate(Fixture.facts([.login: 5]), &account, rules: rules)["login"]
    ).reward
    #expect(reward.points == 1)
    #expect(reward.coins == 3)
    #expect(reward.exp == 20)
    #expect(reward.booster == BoosterWindow(from: Fixture.at(50), until: Fixture.at(86_450)))
  }

  @Test("no text of a secret shows it")
  func masksSecret() {
    let secret = DrawSecret(Array("hunter2".utf8))
    var dumped = ""
    dump(secret, to: &dumped)
    for text in [
      "\(secret)", String(reflecting: secret), dumped, "\([secret])", "\(Optional(secret) as Any)",
    ] {
      #expect(!text.contains("hunter2"))
      #expect(!text.contains("104"), "no bytes either")
      #expect(text.contains(secret.fingerprint))
    }
  }
}
