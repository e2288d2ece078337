import AuditReport
import CivilTime

/// The findings of one check: all are counted, the first are kept.
struct FindingList: Sendable {
  /// So many are kept unless more are asked for.
  static let usualLimit = 100
  /// So many are kept for a page.
  static let pageLimit = 50_000

  /// Findings about other days do not count; nil for all days.
  let days: ClosedRange<Day>?
  /// More are only counted.
  let limit: Int
  private(set) var found = 0
  private var first: [AuditReport.Finding] = []

  init(days: ClosedRange<Day>? = nil, limit: Int = FindingList.usualLimit) {
    self.days = days
    self.limit = limit
  }

  mutating func add(_ finding: AuditReport.Finding) {
    if let days, let day = finding.day, !days.contains(day) { return }
    found += 1
    if first.count < limit { first.append(finding) }
  }

  mutating func merge(_ other: FindingList) {
    found += other.found
    first += other.first
  }

  /// The first findings, by line and day.
  var kept: [AuditReport.Finding] {
    let sorted = first.enumerated().sorted { left, right in
      let (a, b) = (left.element, right.element)
      if a.seq != b.seq { return a.seq ?? .max < b.seq ?? .max }
      if a.day != b.day { return a.day?.number ?? .min < b.day?.number ?? .min }
      return left.offset < right.offset
    }
    return sorted.prefix(limit).map(\.element)
  }
}

extension AuditReport.Check {
  /// A check with what it found.
  init(_ id: Int, _ name: String, examined: Int, _ list: FindingList) {
    self.init(id, name, examined: examined, found: list.found, findings: list.kept)
  }
}
