package import CivilTime

/// One act by hand.
package struct ManualAct: Sendable, Equatable {
  /// The act's line in the ledger.
  package let seq: UInt64
  /// When it was recorded.
  package let at: Instant
  /// The act in a word or two.
  package let what: String
  /// Its subject: a grant's key, a job, days, a request or a plan.
  package let subject: String
  /// What it gives, takes or asks for, in words; empty if unspecified.
  package let content: String
  /// The reason.
  package let reason: String
  /// The actor.
  package let actor: String

  package init(
    seq: UInt64, at: Instant, what: String, subject: String, content: String, reason: String,
    actor: String
  ) {
    self.seq = seq
    self.at = at
    self.what = what
    self.subject = subject
    self.content = content
    self.reason = reason
    self.actor = actor
  }
}

/// Acts by hand: all are counted, but only the newest are kept for the page.
package struct ManualActs: Sendable {
  /// How many are kept.
  package static let limit = 200

  /// The number of acts of each kind and actor.
  package private(set) var counts: [AuditFigures.Act: Int] = [:]
  private var kept: [ManualAct] = []

  package init() {}

  /// The kept acts, newest first.
  package var newest: [ManualAct] {
    Array(kept.sorted { $0.seq > $1.seq }.prefix(Self.limit))
  }

  /// Adds an act.
  package mutating func add(_ act: ManualAct) {
    counts[.init(what: act.what, actor: act.actor), default: 0] += 1
    keep(act)
  }

  private mutating func keep(_ act: ManualAct) {
    kept.append(act)
    if kept.count > 2 * Self.limit { kept = newest }
  }

  /// Adds both.
  package static func += (left: inout ManualActs, right: ManualActs) {
    left.counts.merge(right.counts, uniquingKeysWith: +)
    for act in right.newest { left.keep(act) }
  }
}
