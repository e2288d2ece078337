import CivilTime
import Configuration
import Foundations
import LedgerDatabase
import Operations
import Scheduling

/// Shares closes among the ledgers of a database.
final class DatabaseCloses: SharedCloses {
  /// How many days published rows are kept.
  private static let keptDays: Int32 = 90

  let number: Int
  private let database: AttachedDatabase
  private let streaks: ShardStreaks
  /// The open days last published; nil before the first time.
  private let publishedOpen = Lock<Set<ZoneDay>?>(nil)

  /// Creates the sharing for one ledger of a database.
  init(_ database: AttachedDatabase, _ shardID: ShardID) {
    self.database = database
    streaks = ShardStreaks(database.pool, shard: shardID.number)
    number = shardID.number
  }

  /// Returns the closes that the ledgers of a database have published to each other.
  static func publishedCloses(_ database: AttachedDatabase) async throws -> [PublishedClose] {
    try await database.run { pool in
      try ShardStreaks(pool, shard: 0).countedAndClosed().map {
        PublishedClose(shard: Int($0.shard), place: $0.place, broken: Int($0.broken))
      }
    }
  }

  func publish(_ report: StreakReport, isRoutine: Bool) async throws {
    let usual = (Int64(report.usual.usualStreaks), Int64(report.usual.usualBroken))
    let ended = Set(report.ended.map(\.place))
    if isRoutine, publishedOpen.withLock({ $0 == ended }) {
      return try await database.run { [streaks] _ in
        try streaks.publish(at: report.at, usualStreaks: usual.0, usualBroken: usual.1)
      }
    }
    let shard = Int64(number)
    let counted = Dictionary(report.counts.map { ($0.place, $1) }) { count, _ in count }
    let ends = Dictionary(report.ended.map { ($0.place, $0.window.end) }, uniquingKeysWith: max)
    let rows = ends.sorted { ($0.key.zone, $0.key.day) < ($1.key.zone, $1.key.day) }.map {
      place, end in
      let count = counted[place]
      return ShardStreaks.Row(
        shard: shard, place: place, end: end, streaks: Int64(count?.streaks ?? 0),
        broken: Int64(count?.broken ?? 0),
        counted: count == nil ? nil : report.at)
    }
    let larger = Set(report.closedInPart.map(\.place))
    let oldest = Day(number: Int32(report.at.seconds / 86_400)).adding(days: -Self.keptDays)
    try await database.run { [streaks] _ in
      try streaks.publish(
        rows, keepsLarger: larger, oldest: oldest, at: report.at, usualStreaks: usual.0,
        usualBroken: usual.1)
    }
    publishedOpen.withLock { $0 = ended }
  }

  func published(of closes: [DueClose], since: Instant) async throws -> PublishedStreaks {
    let zones = Set(closes.map(\.zone)).sorted()
    let days = Set(closes.map(\.window.day)).sorted()
    let (rows, open, others) = try await database.run { [streaks] _ in
      (
        try streaks.rows(zones: zones, days: days), try streaks.openElsewhere(),
        try streaks.otherBaselines()
      )
    }
    var told = PublishedStreaks()
    for other in others {
      told.usual.usualStreaks += Int(other.usualStreaks)
      told.usual.usualBroken += Int(other.usualBroken)
    }
    told.open = open.map { row in
      OpenElsewhere(
        shard: Int(row.shard), place: row.place, end: row.end, count: StreakCount(row),
        isCounted: row.isCounted(since: since))
    }
    let byClose = Dictionary(grouping: rows, by: \.place)
    for close in closes {
      let rows = Dictionary(
        (byClose[close.place] ?? []).map { ($0.shard, $0) }
      ) { row, _ in row }
      var (sum, missing) = (StreakCount(), [Int]())
      for other in others {
        let row = rows[other.shard]
        if let row { sum += StreakCount(row) }
        // A shard that has published nothing since the day's end may have users there.
        let knows =
          row.map { $0.isCounted(since: since) } ?? other.at.map { $0 >= close.window.end }
        if knows != true { missing.append(Int(other.shard)) }
      }
      if rows[Int64(number)]?.isCounted(since: since) != true { missing.append(number) }
      told.others[close] = sum
      if !missing.isEmpty { told.missing[close] = missing.sorted() }
    }
    return told
  }

  func recordCounting(_ counting: StreakCounting) async throws {
    try await database.run { [streaks] _ in
      try streaks.recordCounting(at: counting.at, needsAttention: counting.needsAttention)
    }
  }

  func lastCounting() async throws -> StreakCounting? {
    try await database.run { [streaks] _ in
      try streaks.lastCounting().map {
        StreakCounting(at: $0.at, needsAttention: $0.needsAttention)
      }
    }
  }
}

extension StreakCount {
  fileprivate init(_ row: ShardStreaks.Row) {
    self.init(streaks: Int(row.streaks), broken: Int(row.broken))
  }
}

extension ShardStreaks.Row {
  /// Whether the day needs no more counting: it is closed, or was counted recently enough.
  fileprivate func isCounted(since: Instant) -> Bool {
    guard let counted else { return false }
    return !isOpen || counted.seconds >= since.seconds
  }
}
