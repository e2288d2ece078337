import AuditPage
import CivilTime
import Ledger
import RewardRules

/// Finds user-days with far more points than the others, and more than any daily limit that was agreed on.
///
/// The limit of a document that one person put into use does not count: it may be what is abused. A gift that two people agreed on
/// does not either: it is meant to be far more.
struct OutlierCheck: AuditCheck {
  static let id = 14
  static let name = "outliers"

  /// The number of user-days below which no comparison is possible.
  private static let leastDays = 100
  /// The number of median deviations from the median that counts as far.
  private static let farDeviations: Int64 = 12
  /// The minimum value of a median deviation, in points.
  private static let leastDeviation: Int64 = 25
  private static let keptDays = 1_000

  private(set) var list: FindingList
  private(set) var examined = 0
  /// The number of user-days with each number of points, by day.
  private var countsByDay: [Day: [Int64: Int]] = [:]
  private var largest: [(points: Int64, user: String, day: Day)] = []

  /// The largest daily limit that was agreed on, in points.
  private let limit: Int64
  /// The keys of gifts that two people agreed on.
  private let agreedGifts: Set<String>

  init(list: FindingList, _ terms: ManualActCheck.Terms?) {
    self.list = list
    limit = terms?.agreed.dailyLimit ?? .max
    agreedGifts = terms?.agreedGifts ?? []
  }

  mutating func add(_ record: Record, before state: LedgerState) {
    guard case .close(let close) = record.body,
      let zone = state.users.zones.index(of: close.zone)
    else { return }
    let accounts = state.accounts
    for resident in state.residents(of: zone) {
      let index = Int(resident)
      guard !accounts[index].grants.open.isEmpty, accounts[index].zone == zone else { continue }
      var points: Int64 = 0
      let grants = accounts[index].grants.open
      for place in grants.indices
      where grants[place].day == close.window.day && !grants[place].isReversed {
        let isAgreed = grants[place].key == nil && agreedGifts.contains(grants[place].text)
        if !isAgreed { points += grants[place].net.points }
      }
      guard points > 0 else { continue }
      examined += 1
      countsByDay[close.window.day, default: [:]][points, default: 0] += 1
      if points > limit { keep((points, accounts[index].id, close.window.day)) }
    }
  }

  /// Whether few users had as many points on a day. In a campaign that many profit from, nobody is an outlier.
  private func isRare(_ points: Int64, on day: Day) -> Bool {
    let counts = countsByDay[day] ?? [:]
    let all = counts.values.reduce(0, +)
    let many = counts.reduce(0) { $1.key >= points ? $0 + $1.value : $0 }
    return many <= max(3, all / 50)
  }

  /// Keeps the largest days, whatever order they come in.
  private mutating func keep(_ day: (points: Int64, user: String, day: Day)) {
    largest.append(day)
    guard largest.count > 2 * Self.keptDays else { return }
    largest.sort { $0.points > $1.points }
    largest.removeLast(largest.count - Self.keptDays)
  }

  mutating func merge(_ other: OutlierCheck) {
    examined += other.examined
    countsByDay.merge(other.countsByDay) { $0.merging($1, uniquingKeysWith: +) }
    for day in other.largest { keep(day) }
  }

  mutating func conclude() {
    guard examined >= Self.leastDays else { return }
    let counts = countsByDay.values.reduce(into: [Int64: Int]()) {
      $0.merge($1, uniquingKeysWith: +)
    }
    let median = Self.median(of: counts, count: examined)
    var deviations: [Int64: Int] = [:]
    for (points, count) in counts { deviations[abs(points - median), default: 0] += count }
    let deviation = max(Self.leastDeviation, Self.median(of: deviations, count: examined))
    for day in largest
    where day.points > median + Self.farDeviations * deviation && isRare(day.points, on: day.day) {
      list.add(
        AuditReport.Finding(
          "\(day.points) points in one day, while half of all user-days have \(median) or less",
          user: day.user, day: day.day))
    }
  }

  private static func median(of counts: [Int64: Int], count: Int) -> Int64 {
    var seen = 0
    for (value, times) in counts.sorted(by: { $0.key < $1.key }) {
      seen += times
      if seen * 2 >= count { return value }
    }
    return 0
  }
}
