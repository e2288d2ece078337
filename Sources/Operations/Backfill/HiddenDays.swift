public import CivilTime
import Evidence
public import Ledger
public import LedgerStore
import Threading

/// Whom nobody could see on which days, from the gaps that closes have recorded: what an excuse might declare.
public struct HiddenDays: Sendable {
  /// One user-local day.
  public struct HiddenDay: Sendable {
    /// The day.
    public let day: Day
    /// The users of whom something stayed unknown, in the order of their ids.
    public let users: [String]
    /// The streaks that such a day holds or has broken, the longest first.
    public let streaks: [Streak]
    /// How many gaps have which cause.
    public let causes: [String: Int]
    /// Where the first gap begins.
    public let from: Instant
    /// Where the last gap ends.
    public let to: Instant
  }

  /// A streak at stake.
  public struct Streak: Sendable, Equatable {
    /// The user's id.
    public let user: String
    /// How many days it had before.
    public let length: Int32
    /// What became of it on the day.
    public let what: StreakChange
  }

  /// The days, in order, with the users whom no excuse covers.
  public let days: [HiddenDay]
  /// User-days that are excused already.
  public let excused: Int
  /// User-days of which only shorter gaps are known than was asked for.
  public let leftOut: Int

  /// Reads the ledger of a data folder, leaving out user-days whose gaps are all shorter than `gapSeconds`; throws ``LedgerStore/LedgerError``.
  public static func read(
    _ directory: DataDirectory, days: ClosedRange<Day>? = nil, gapSeconds: Int64 = 0
  ) async throws -> HiddenDays {
    try await BlockingThread(named: "rewards.hidden").run {
      var fold = HiddenDaysFold(range: days, gapSeconds: gapSeconds)
      try LedgerReader.open(directory).readRecords(after: 0) { fold.take($0) }
      return HiddenDays(days: fold.days, excused: fold.excusedCount, leftOut: fold.leftOut)
    }
  }
}

/// Gathers gaps by day.
private struct HiddenDaysFold {
  private struct Gaps {
    var users: Set<String> = []
    var causes: [String: Int] = [:]
    var from = Instant.latest
    var to = Instant.earliest
  }

  let range: ClosedRange<Day>?
  let gapSeconds: Int64
  private var shortGaps: Set<String> = []
  private var streaks: [Day: [String: HiddenDays.Streak]] = [:]
  private var gaps: [Day: Gaps] = [:]
  private var excuses: [ExcuseRecord] = []

  init(range: ClosedRange<Day>?, gapSeconds: Int64) {
    self.range = range
    self.gapSeconds = gapSeconds
  }

  /// User-days that have short gaps only.
  var leftOut: Int {
    shortGaps.count { name in
      guard let slash = name.firstIndex(of: "/"), let day = Day(String(name[..<slash])) else {
        return false
      }
      return gaps[day]?.users.contains(String(name[name.index(after: slash)...])) != true
    }
  }

  mutating func take(_ record: Record) {
    switch record.body {
    case .unknown(let unknown):
      if let range, !range.contains(unknown.day) { return }
      guard unknown.gaps.contains(where: { $0.to.seconds(since: $0.from) >= gapSeconds }) else {
        shortGaps.insert("\(unknown.day)/\(unknown.user)")
        return
      }
      var day = gaps[unknown.day] ?? Gaps()
      day.users.insert(unknown.user)
      for gap in unknown.gaps {
        day.causes[gap.cause, default: 0] += 1
        day.from = min(day.from, gap.from)
        day.to = max(day.to, gap.to)
      }
      gaps[unknown.day] = day
    case .streak(let streak) where streak.before.length > 0:
      streaks[streak.day, default: [:]][streak.user] = HiddenDays.Streak(
        user: streak.user, length: streak.before.length, what: streak.what)
    case .excuse(let excuse): excuses.append(excuse)
    default: break
    }
  }

  /// User-days that somebody has excused.
  var excusedCount: Int {
    gaps.reduce(0) { sum, gaps in
      sum + gaps.value.users.count { isExcused($0, on: gaps.key) }
    }
  }

  private func isExcused(_ user: String, on day: Day) -> Bool {
    excuses.contains { excuse in
      excuse.from <= day && day <= excuse.to && excuse.users?.contains(user) != false
    }
  }

  var days: [HiddenDays.HiddenDay] {
    gaps.sorted { $0.key < $1.key }.compactMap { day, gaps in
      let users = gaps.users.filter { !isExcused($0, on: day) }
      if users.isEmpty { return nil }
      let atStake = (streaks[day] ?? [:]).values.filter {
        users.contains($0.user) && ($0.what == .held || $0.what == .broken)
      }
      return HiddenDays.HiddenDay(
        day: day, users: users.sorted(),
        streaks: atStake.sorted { ($1.length, $0.user) < ($0.length, $1.user) },
        causes: gaps.causes, from: gaps.from, to: gaps.to)
    }
  }
}
