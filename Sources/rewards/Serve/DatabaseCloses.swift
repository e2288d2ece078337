import CivilTime
import Configuration
import LedgerDatabase
import PostgreSQL
import Scheduling

/// The ledgers of a database, as far as closes go.
struct DatabaseCloses: SharedCloses {
  /// For so many days counts are kept: a shard that was away for longer closes by its own.
  private static let keptDays: Int32 = 90

  private let streaks: ShardStreaks
  let number: Int

  /// One of the ledgers of a database.
  init(_ pool: DatabasePool, _ share: LedgerShare) {
    streaks = ShardStreaks(pool, shard: share.number)
    number = share.number
  }

  func tell(_ report: StreakReport) async throws {
    let counts = report.counts.map { close, count in
      ShardStreaks.Count(
        zone: close.zone, day: "\(close.window.day)", streaks: Int64(count.streaks),
        broken: Int64(count.broken))
    }
    let uncounted = report.ended.filter { report.counts[$0] == nil }
    let known = try await told(among: uncounted)
    let next = uncounted.lazy.filter { !known.contains($0) }.map(\.window.end).min()
    let through = next.map { $0.adding(seconds: -1) } ?? report.at
    let oldest = report.counts.keys.map(\.window.day).min()
    try await StoreAccess.run { [streaks] in
      try streaks.tell(
        counts, usualStreaks: Int64(report.usual.usualStreaks),
        usualBroken: Int64(report.usual.usualBroken), through: through,
        oldest: oldest.map { "\($0.adding(days: -Self.keptDays))" })
    }
  }

  func others(of close: DueClose) async throws -> OtherStreaks {
    let told = try await StoreAccess.run { [streaks] in
      try streaks.others(
        zone: close.zone, day: "\(close.window.day)", end: close.window.end)
    }
    return OtherStreaks(
      sum: StreakCount(
        streaks: Int(told.streaks), broken: Int(told.broken),
        usualStreaks: Int(told.usualStreaks), usualBroken: Int(told.usualBroken)),
      missing: told.missing.map { Int($0) })
  }

  func told(among closes: [DueClose]) async throws -> Set<DueClose> {
    if closes.isEmpty { return [] }
    let told = try await StoreAccess.run { [streaks] in try streaks.told() }
    let days = Set(told.map { "\($0.zone)/\($0.day)" })
    return Set(closes.filter { days.contains("\($0.zone)/\($0.window.day)") })
  }
}
