public import CivilTime

/// One act by hand.
public struct ManualAct: Sendable, Equatable {
  /// The act's line in the ledger.
  public let seq: UInt64
  /// When it was recorded.
  public let at: Instant
  /// The act in a word or two.
  public let what: String
  /// Its subject: a grant's key, a job, days, a request or a plan.
  public let subject: String
  /// What it gives, takes or asks for, in words; empty if unspecified.
  public let content: String
  /// The reason.
  public let reason: String
  /// The actor.
  public let actor: String

  /// Creates an act.
  public init(
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
public struct ManualActs: Sendable {
  /// How many are kept.
  public static let limit = 200

  /// The number of acts of each kind and actor.
  public private(set) var counts: [AuditFigures.Act: Int] = [:]
  private var kept: [ManualAct] = []

  /// Creates an empty collection.
  public init() {}

  /// The kept acts, newest first.
  public var newest: [ManualAct] {
    Array(kept.sorted { $0.seq > $1.seq }.prefix(Self.limit))
  }

  /// Adds an act.
  public mutating func add(_ act: ManualAct) {
    counts[.init(what: act.what, actor: act.actor), default: 0] += 1
    keep(act)
  }

  private mutating func keep(_ act: ManualAct) {
    kept.append(act)
    if kept.count > 2 * Self.limit { kept = newest }
  }

  /// Adds both.
  public static func += (left: inout ManualActs, right: ManualActs) {
    left.counts.merge(right.counts, uniquingKeysWith: +)
    for act in right.newest { left.keep(act) }
  }
}
