package import CivilTime

/// The result of an audit, check by check.
package struct AuditReport: Sendable {
  /// A fault that an audit found.
  package struct Finding: Sendable, Equatable {
    /// What is wrong.
    package let text: String
    /// The ledger line concerned, if any.
    package var seq: UInt64?
    /// The key of the grant concerned, if any.
    package var key: String?
    /// The user concerned, if any.
    package var user: String?
    /// The user-local day concerned, if any.
    package var day: Day?

    /// Creates a finding; leave out what it does not concern.
    package init(
      _ text: String, seq: UInt64? = nil, key: String? = nil, user: String? = nil, day: Day? = nil
    ) {
      self.text = text
      self.seq = seq
      self.key = key
      self.user = user
      self.day = day
    }
  }

  /// One check and its findings.
  package struct Check: Sendable {
    /// The check's number.
    package let id: Int
    /// The subject of the check.
    package let name: String
    /// The number of things examined.
    package let examined: Int
    /// The total number of findings.
    package let found: Int
    /// The first of the findings.
    package let findings: [Finding]
    /// Why the check could not run; nil if it ran.
    package let leftOut: String?
    /// Additional information that is not a finding.
    package var note: String?
    /// Whether it ran and found nothing.
    package var passed: Bool { found == 0 && leftOut == nil }

    /// Creates a check that ran; `findings` are the first of the `found` ones.
    package init(_ id: Int, _ name: String, examined: Int, found: Int, findings: [Finding]) {
      self.id = id
      self.name = name
      self.examined = examined
      self.found = found
      self.findings = findings
      leftOut = nil
    }

    /// Creates a check that could not run.
    package init(_ id: Int, _ name: String, leftOut: String) {
      self.id = id
      self.name = name
      self.leftOut = leftOut
      examined = 0
      found = 0
      findings = []
    }
  }

  /// User-days with late facts.
  package struct Waiting: Sendable, Equatable {
    /// The number of user-days.
    package let count: Int
    /// The earliest instant of the late facts; nil if there are none.
    package let since: Instant?

    /// No waiting user-days.
    package static let nothing = Waiting(count: 0, since: nil)

    /// The number in words.
    package var text: String { count == 1 ? "1 user-day waits" : "\(count) user-days wait" }

    /// Creates a number of waiting days.
    package init(count: Int, since: Instant?) {
      self.count = count
      self.since = since
    }
  }

  /// The days and the part of the ledger that an audit covers.
  package struct Coverage: Sendable, Equatable {
    /// The local days whose findings were asked for; nil for all.
    package let asked: ClosedRange<Day>?
    /// The closed local days of the ledger, of any user; nil before the first close.
    package let closed: ClosedRange<Day>?
    /// The number of users for whom a day among the covered ones is still open.
    package let open: Int
    /// The last seal, as `SEQ:HASH`.
    package let head: String

    /// The closed days that were asked for; nil if there are none.
    package var days: ClosedRange<Day>? {
      guard let asked, let closed else { return closed }
      return asked.overlaps(closed) ? asked.clamped(to: closed) : nil
    }

    /// Whether the requested days include no closed one.
    package var isMissed: Bool { asked != nil && days == nil }

    /// Whether every day that was asked for is closed for everybody.
    package var isComplete: Bool {
      guard let days else { return asked == nil }
      return open == 0 && asked.map { $0.upperBound <= days.upperBound } ?? true
    }

    /// The covered days in words.
    package var text: String {
      guard let days else {
        let missed = asked.map { "no local day \(Self.text(ofAsked: $0)) is closed" }
        let rest = closed.map { "; closed are \(Self.text(of: $0))" } ?? ""
        return (missed ?? "no local day is closed yet") + rest
      }
      var text = "local days \(Self.text(of: days))"
      if let asked, asked.upperBound > days.upperBound { text += " (no later day is closed)" }
      if open > 0 { text += ", not all closed yet for \(open == 1 ? "1 user" : "\(open) users")" }
      return text
    }

    /// Returns the days in words; an end that was left open is no date.
    private static func text(ofAsked days: ClosedRange<Day>) -> String {
      if days.lowerBound == Day(number: .min) { return "up to \(days.upperBound)" }
      if days.upperBound == Day(number: .max) { return "from \(days.lowerBound) on" }
      return "from \(text(of: days))"
    }

    private static func text(of days: ClosedRange<Day>) -> String {
      days.lowerBound == days.upperBound
        ? "\(days.lowerBound)" : "\(days.lowerBound) to \(days.upperBound)"
    }

    /// Creates the coverage of an audit of the `asked` days.
    package init(asked: ClosedRange<Day>?, closed: ClosedRange<Day>?, open: Int, head: String) {
      self.asked = asked
      self.closed = closed
      self.open = open
      self.head = head
    }
  }

  /// All checks, by number.
  package let checks: [Check]
  /// The user-days with late facts: neither missing nor right until a backfill records them.
  package let waiting: Waiting
  /// What it covers; nil for a damaged ledger and for several together.
  package let coverage: Coverage?
  /// What people gave, which is no finding by itself; empty for a damaged ledger and for several together.
  package let byHand: GivenByHand

  /// Creates a report from checks in any order.
  package init(
    checks: [Check], waiting: Waiting = .nothing, coverage: Coverage? = nil,
    byHand: GivenByHand = GivenByHand()
  ) {
    self.checks = checks.sorted { $0.id < $1.id }
    self.waiting = waiting
    self.coverage = coverage
    self.byHand = byHand
  }

  /// Whether it needs attention.
  package var needsAttention: Bool { !passed || waiting.count > 0 }

  /// Whether the records could be read and counted, which is not possible in a damaged ledger.
  package var isCounted: Bool {
    checks.allSatisfy { $0.leftOut == nil } || checks.contains { $0.leftOut == nil && $0.id > 3 }
  }

  /// Whether every check ran and found nothing. Without a closed day among those asked for, nothing is proved.
  package var passed: Bool { checks.allSatisfy(\.passed) && !(coverage?.isMissed ?? false) }
}

/// An audit with everything that its page shows.
package struct AuditOutcome: Sendable {
  /// The checks and findings.
  package let report: AuditReport
  /// The ledger's content in figures.
  package let figures: AuditFigures
  /// The ledger lines that findings are about, by number and without their `\n`; only the first ones.
  package let records: [UInt64: String]
  /// The previous audit; nil if none is known.
  package var previous: PreviousAudit?

  /// Creates an outcome from a report, its figures and the lines it is about.
  package init(report: AuditReport, figures: AuditFigures, records: [UInt64: String]) {
    self.report = report
    self.figures = figures
    self.records = records
  }
}
