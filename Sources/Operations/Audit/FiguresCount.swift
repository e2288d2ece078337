import AuditPage
import CivilTime
internal import Evidence
import Ledger
internal import RewardRules

/// Counts the figures of some users for an audit's page.
struct FiguresCount: Sendable {
  private(set) var totals = AuditFigures.Totals()
  private(set) var span: ClosedRange<Day>?
  private(set) var titles: [String: String] = [:]
  private(set) var streaks: [Int32: Int] = [:]
  private(set) var unknowns: [AuditFigures.Unknown: Int] = [:]
  private var missions: [Day: [String: AuditFigures.Sum]] = [:]
  private(set) var course = CourseCount()

  /// The days that granted something, ascending.
  var days: [AuditFigures.DayFigures] {
    missions.sorted { $0.key < $1.key }.map { .init(day: $0.key, missions: $0.value) }
  }

  /// Counts a record that is not a reversal.
  mutating func add(_ record: Record) {
    course.add(record)
    switch record.body {
    case .grant(let grant):
      let isFirst = !grant.isAdjustment
      totals.grants += isFirst ? 1 : 0
      count(
        .init(grants: isFirst ? 1 : 0, grant.reward.amounts), grant.mission, on: grant.day)
    case .unknown(let unknown):
      for gap in unknown.gaps {
        unknowns[.init(cause: gap.cause, subject: unknown.mission.name), default: 0] += 1
      }
    case .close(let close): reach(close.window.day)
    default: break
    }
  }

  /// Counts a reversal of a standing grant, which `record` contains.
  mutating func add(_ reversal: ReversalRecord, of standing: StandingGrant, _ record: Record) {
    let mission = standing.key?.mission ?? OtherMission.manual.rawValue
    count(
      .init(grants: reversal.undone ? 1 : -1, reversal.reward.amounts), mission,
      on: standing.day)
    course.add(reversal, record)
  }

  /// Counts the final state.
  mutating func finish(_ state: LedgerState) {
    for missions in state.rules.documents.map(\.missions) {
      for name in missions.kinds.kinds.map(\.name) {
        if let title = missions.title(of: name) { titles[name] = title.text() }
      }
    }
    for account in state.accounts {
      totals.users += 1
      let sum = account.holdings.sum
      totals.amounts += Amounts { $0 == .exp ? 0 : sum[$0] }
      streaks[account.state.streak.length, default: 0] += 1
    }
  }

  mutating func merge(_ other: FiguresCount) {
    totals.users += other.totals.users
    totals.grants += other.totals.grants
    totals.amounts += other.totals.amounts
    course.merge(other.course)
    titles.merge(other.titles) { $1 }
    streaks.merge(other.streaks, uniquingKeysWith: +)
    unknowns.merge(other.unknowns, uniquingKeysWith: +)
    for (day, sums) in other.missions {
      for (mission, sum) in sums { missions[day, default: [:]][mission, default: .init()] += sum }
    }
    if let span = other.span {
      reach(span.lowerBound)
      reach(span.upperBound)
    }
  }

  private mutating func count(_ sum: AuditFigures.Sum, _ mission: String, on day: Day) {
    missions[day, default: [:]][mission, default: .init()] += sum
    totals.amounts.exp = totals.amounts.exp.addingSaturated(sum.amounts.exp)
    reach(day)
  }

  private mutating func reach(_ day: Day) {
    span = min(span?.lowerBound ?? day, day)...max(span?.upperBound ?? day, day)
  }
}
