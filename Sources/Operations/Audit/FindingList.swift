import AuditPage
import CivilTime

/// The findings of one check: all are counted, and the first are kept.
struct FindingList: Sendable {
  /// The number of findings that are usually kept.
  static let usualLimit = 100
  /// The number of findings that are kept for a page.
  static let pageLimit = 50_000

  /// The days whose findings count; nil for all days.
  let days: ClosedRange<Day>?
  /// The number of findings that are kept; more are only counted.
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
  /// Creates a check with its findings.
  init(_ id: Int, _ name: String, examined: Int, _ list: FindingList) {
    self.init(id, name, examined: examined, found: list.found, findings: list.kept)
  }
}
