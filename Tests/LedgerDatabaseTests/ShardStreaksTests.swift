import CivilTime
import LedgerDatabase
import TestSupport
import Testing

/// What shards tell each other of streaks before they close a day.
@Suite(.offThePool, .enabled(if: DatabasePlace.isAvailable)) struct ShardStreaksTests {
  private typealias Row = ShardStreaks.Row

  private let shards: [ShardStreaks]
  private static let now = Instant(seconds: 1_800_000_000)

  init() throws {
    let pool = try DatabasePlace.makeDatabase()
    _ = try DatabaseSchema(pool).migrate(shards: 3)
    shards = (0..<3).map { ShardStreaks(pool, shard: $0) }
  }

  private func row(
    _ shard: Int64, _ streaks: Int64 = 0, _ broken: Int64 = 0, at counted: Instant? = nil,
    day: String = "2026-11-22", isOpen: Bool = true
  ) -> Row {
    Row(
      shard: shard, place: ZoneDay("Asia/Tokyo/\(day)")!, end: Self.now, streaks: streaks,
      broken: broken, counted: counted, isOpen: isOpen)
  }

  private func tell(
    _ rows: [Row], of shard: Int, keepsLarger: Set<ZoneDay> = []
  ) throws {
    try shards[shard].publish(
      rows, keepsLarger: keepsLarger, oldest: Day("2026-08-24")!, at: Self.now, usualStreaks: 10,
      usualBroken: 1)
  }

  private func rows(days: [String] = ["2026-11-22"]) throws -> [Row] {
    try shards[0].rows(zones: ["Asia/Tokyo"], days: days.map { Day($0)! })
  }

  @Test func whoHasToldNothingIsKnownToHaveToldNothing() throws {
    try tell([], of: 1)
    let standing = try shards[0].otherBaselines()
    #expect(standing.map(\.shard) == [1, 2])
    #expect(standing.map(\.at) == [Self.now, nil])
    #expect(standing.map(\.usualStreaks) == [10, 0])
  }

  /// A day is open, then counted, then counted anew, then closed.
  @Test func aDayIsToldInItsStates() throws {
    try tell([row(1)], of: 1)
    #expect(try rows() == [row(1)])
    try tell([row(1, 5, 5, at: Self.now)], of: 1)
    #expect(try rows() == [row(1, 5, 5, at: Self.now)])
    // Not counted this time: the count stands.
    try tell([row(1)], of: 1)
    #expect(try rows() == [row(1, 5, 5, at: Self.now)])
    let later = Self.now.adding(seconds: 60)
    try tell([row(1, 6, 0, at: later)], of: 1)
    #expect(try rows() == [row(1, 6, 0, at: later)])
    try tell([], of: 1)
    #expect(try rows() == [row(1, 6, 0, at: later, isOpen: false)])
    try shards[1].publish(at: later, usualStreaks: 1, usualBroken: 0)
    #expect(try shards[0].otherBaselines().first?.at == later)
  }

  /// Whom a day concerned before it was counted may have left.
  @Test func aDayThatWasNeverCountedIsForgottenWithItsUsers() throws {
    try tell([row(2)], of: 2)
    try tell([], of: 2)
    #expect(try rows().isEmpty)
  }

  @Test func whatIsClosedInPartIsNotMadeSmaller() throws {
    try tell([row(1, 6, 6, at: Self.now)], of: 1)
    try tell([row(1, 1, 0, at: Self.now)], of: 1, keepsLarger: [row(1).place])
    #expect(try rows() == [row(1, 6, 6, at: Self.now)])
  }

  @Test func whatIsOpenElsewhereIsToldCountedOrNot() throws {
    try tell([row(0, 1, 1, at: Self.now)], of: 0)
    try tell([row(1, 2, 2, at: Self.now), row(1, day: "2026-11-21")], of: 1)
    try tell([row(2, 3, 3, at: Self.now)], of: 2)
    try tell([], of: 2)
    #expect(
      try shards[0].openElsewhere() == [row(1, day: "2026-11-21"), row(1, 2, 2, at: Self.now)])
  }

  @Test func countsOfDaysLongPastAreForgotten() throws {
    let old = row(0, 1, 0, at: Self.now, day: "2026-08-01")
    try tell([old, row(0, 2, 0, at: Self.now)], of: 0)
    try tell([old, row(0)], of: 0)
    let days = ["2026-08-01", "2026-11-22"]
    #expect(try rows(days: days) == [old, row(0, 2, 0, at: Self.now)], "it is still open")
    try tell([row(0)], of: 0)
    try tell([row(0)], of: 0)
    #expect(try rows(days: days) == [row(0, 2, 0, at: Self.now)])
  }

  @Test func theLastCountingIsKept() throws {
    #expect(try shards[0].lastCounting() == nil)
    try tell([], of: 0)
    #expect(try shards[0].lastCounting() == nil)
    try shards[0].recordCounting(at: Self.now, needsAttention: true)
    try tell([], of: 0)
    let last = try #require(try shards[0].lastCounting())
    #expect(last == (Self.now, true))
    #expect(try shards[1].lastCounting() == nil)
  }
}
