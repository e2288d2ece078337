import AuditPage
import CivilTime
import Configuration
import RewardRules
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// What an audit of several ledgers finds between them.
@Suite(.offThePool) struct ShardComparisonTests {
  private static let first = Day("2026-03-02")!

  private static func day(_ number: Int32) -> Day { first.adding(days: number) }

  private static func document(_ version: String, from number: Int32) throws -> RulesDocument {
    let text = "{\"version\": \"\(version)\", \"effectiveFrom\": \"\(day(number))\"}"
    return try RulesDocument.parse(Array(text.utf8)).get()
  }

  private static func standing(
    _ number: Int, of count: Int = 3, strangers: [String] = [], rules: [RulesDocument] = [],
    judged: ClosedRange<Int32>? = 0...9, mostBroken: [ZoneDay: Int] = [:]
  ) -> ShardStanding {
    ShardStanding(
      ShardID(number, of: count), users: 10, strangers: strangers, rules: rules,
      judged: judged.map { day($0.lowerBound)...day($0.upperBound) }, mostBroken: mostBroken)
  }

  private static func findings(
    _ standings: [ShardStanding], heads: [Int] = [0, 1, 2], told: [PublishedClose] = [],
    days: ClosedRange<Day>? = nil
  ) -> [Int: [String]] {
    let report = ShardComparison(standings, of: 3, heads: heads, told: told, days: days).report
    return Dictionary(
      uniqueKeysWithValues: report.checks.filter { !$0.passed }.map {
        ($0.id, $0.leftOut.map { [$0] } ?? $0.findings.map(\.text))
      })
  }

  @Test func shardsThatFitAreNoFindings() throws {
    let rules = [try Self.document("a", from: 0), try Self.document("b", from: 5)]
    let all = (0..<3).map { Self.standing($0, rules: rules) }
    #expect(Self.findings(all).isEmpty)
  }

  @Test func namesUsersOfOtherShards() {
    let user = "somebody"
    let right = ShardID.number(of: user, among: 3)
    let wrong = (right + 1) % 3
    let all = (0..<3).map { Self.standing($0, strangers: $0 == wrong ? [user] : []) }
    #expect(
      Self.findings(all) == [16: ["is in shard \(wrong), but belongs to shard \(right)"]])
  }

  /// A shard closes days with a document that the others have not: a finding where those have closed such days too.
  @Test(arguments: [
    (Int32(9), Int32(9), true), (9, 4, false), (4, 9, false), (9, 5, true), (4, 4, false),
  ])
  func tellsWhichDaysWereJudgedByOtherRules(
    _ closedThere: Int32, _ closedElsewhere: Int32, _ isFinding: Bool
  ) throws {
    let (old, new) = (try Self.document("a", from: 0), try Self.document("b", from: 5))
    let all = (0..<3).map {
      $0 == 1
        ? Self.standing($0, rules: [old, new], judged: 0...closedThere)
        : Self.standing($0, rules: [old], judged: 0...closedElsewhere)
    }
    let found = Self.findings(all)
    #expect(found.keys.sorted() == (isFinding ? [17] : []))
    let text = found[17]?.first ?? ""
    #expect(text.isEmpty || text.contains("shard 1 used b (sha256 "), "\(text)")
    #expect(text.isEmpty || text.contains("shards 0, 2 used a (sha256 "), "\(text)")
    #expect(Self.findings(all, days: Self.day(0)...Self.day(3)).isEmpty, "of other days")
  }

  @Test func aShardWithoutClosesSaysNothingOfRules() throws {
    let (one, other) = (try Self.document("a", from: 0), try Self.document("b", from: 0))
    let all = [
      Self.standing(0, rules: [one]), Self.standing(1, rules: [one]),
      Self.standing(2, rules: [other], judged: nil),
    ]
    #expect(Self.findings(all).isEmpty)
  }

  @Test(arguments: [(2, 2, false), (2, 3, false), (3, 2, true), (1, 0, true)])
  func holdsClosesAgainstWhatWasTold(_ broken: Int, _ told: Int, _ isFinding: Bool) {
    let place = ZoneDay("Asia/Tokyo", Self.day(3))
    let all = [Self.standing(0, mostBroken: [place: broken]), Self.standing(1), Self.standing(2)]
    let close = PublishedClose(shard: 0, place: place, broken: told)
    let later = PublishedClose(shard: 0, place: ZoneDay("Asia/Tokyo", Self.day(4)), broken: 0)
    let found = Self.findings(all, told: [close, later])
    #expect(found.keys.sorted() == (isFinding ? [18] : []))
  }

  @Test(arguments: [
    ([0, 2], ["shard 1 has no row in rewards.shard"]),
    ([0, 1, 2, 3], ["rewards.shard has a row for shard 3, but there are only 3 shards, from 0"]),
  ])
  func tellsLostShards(_ heads: [Int], _ texts: [String]) {
    #expect(Self.findings((0..<3).map { Self.standing($0) }, heads: heads) == [19: texts])
  }

  @Test func leavesOutWhatALostLedgerWouldTell() {
    let found = Self.findings([Self.standing(0), Self.standing(2)])
    #expect(found.keys.sorted() == [16, 17, 18])
    #expect(found[16] == ["shard 1 could not be read"])
  }
}
