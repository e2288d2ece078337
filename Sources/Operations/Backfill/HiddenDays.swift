public import CivilTime
import Evidence
import Ledger
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
    /// How many gaps have which cause.
    public let causes: [String: Int]
    /// Where the first gap begins.
    public let from: Instant
    /// Where the last gap ends.
    public let to: Instant
  }

  /// The days, in order; those that an excuse covers for all are left out.
  public let days: [HiddenDay]

  /// Reads the ledger of a data folder; throws ``LedgerStore/LedgerError``.
  public static func read(
    _ directory: DataDirectory, days: ClosedRange<Day>? = nil
  ) async throws -> HiddenDays {
    try await BlockingThread(named: "rewards.hidden").run {
      var fold = HiddenDaysFold(range: days)
      try LedgerReader.open(directory).readRecords(after: 0) { fold.take($0) }
      return HiddenDays(days: fold.days)
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
  private var gaps: [Day: Gaps] = [:]
  private var excused: [ClosedRange<Day>] = []

  init(range: ClosedRange<Day>?) { self.range = range }

  mutating func take(_ record: Record) {
    switch record.body {
    case .unknown(let unknown):
      if let range, !range.contains(unknown.day) { return }
      var day = gaps[unknown.day] ?? Gaps()
      day.users.insert(unknown.user)
      for gap in unknown.gaps {
        day.causes[gap.cause, default: 0] += 1
        day.from = min(day.from, gap.from)
        day.to = max(day.to, gap.to)
      }
      gaps[unknown.day] = day
    case .excuse(let excuse) where excuse.users == nil:
      if excuse.from <= excuse.to { excused.append(excuse.from...excuse.to) }
    default: break
    }
  }

  var days: [HiddenDays.HiddenDay] {
    gaps.filter { day, _ in !excused.contains { $0.contains(day) } }
      .sorted { $0.key < $1.key }
      .map { day, gaps in
        HiddenDays.HiddenDay(
          day: day, users: gaps.users.sorted(), causes: gaps.causes, from: gaps.from, to: gaps.to)
      }
  }
}
