import CivilTime
import PostgreSQL
import TestSupport
import Testing

@testable import LedgerDatabase

/// What shards tell each other of streaks before they close a day.
@Suite(.offThePool, .enabled(if: DatabasePlace.isAvailable)) struct ShardStreaksTests {
  private let shards: [ShardStreaks]
  private static let end = Instant(seconds: 1_800_000_000)

  init() throws {
    let pool = try DatabasePlace.makeDatabase()
    _ = try DatabaseSchema(pool).migrate(shards: 3)
    shards = (0..<3).map { ShardStreaks(pool, shard: $0) }
  }

  private func count(_ streaks: Int64, _ broken: Int64, day: String = "2026-11-22")
    -> ShardStreaks.Count
  {
    ShardStreaks.Count(zone: "Asia/Tokyo", day: day, streaks: streaks, broken: broken)
  }

  private func others(of shard: Int) throws -> ShardStreaks.Others {
    try shards[shard].others(zone: "Asia/Tokyo", day: "2026-11-22", end: Self.end)
  }

  /// What is known by `through`: the present, or a second before the first day of which nothing is told yet.
  private func tell(
    _ shard: Int, _ counts: [ShardStreaks.Count], through: Instant, oldest: String? = nil
  ) throws {
    try shards[shard].tell(
      counts, usualStreaks: 10, usualBroken: 1, through: through, oldest: oldest)
  }

  @Test func whoHasNotToldIsMissing() throws {
    #expect(try others(of: 0) == .init(missing: [1, 2]))
    try tell(1, [count(5, 4)], through: Instant(seconds: 0))
    #expect(
      try others(of: 0)
        == .init(streaks: 5, broken: 4, usualStreaks: 10, usualBroken: 1, missing: [2]))
    #expect(try others(of: 1).missing == [0, 2], "what one tells itself is not among the others")
  }

  @Test func whoHasNobodyThereNeedsNotCount() throws {
    try tell(1, [], through: Self.end.adding(seconds: -1))
    #expect(try others(of: 0).missing == [1, 2])
    try tell(1, [], through: Self.end)
    #expect(try others(of: 0) == .init(usualStreaks: 10, usualBroken: 1, missing: [2]))
  }

  @Test func aLaterCountTakesThePlaceOfAnEarlierOne() throws {
    try tell(2, [count(5, 5)], through: Self.end)
    try tell(2, [count(6, 0)], through: Self.end)
    #expect(try others(of: 0).broken == 0)
    #expect(try shards[2].told() == [count(6, 0)])
    try tell(2, [], through: Self.end)
    #expect(try others(of: 0).streaks == 6, "what was counted stands until it is counted anew")
  }

  @Test func countsOfDaysLongPastAreForgotten() throws {
    try tell(0, [count(1, 0, day: "2026-08-01"), count(2, 0)], through: Self.end)
    try tell(0, [count(3, 0)], through: Self.end, oldest: "2026-08-24")
    #expect(try shards[0].told() == [count(3, 0)])
  }
}
