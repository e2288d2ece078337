public import CivilTime

/// One thing that somebody did by hand.
public struct HandAct: Sendable, Equatable {
  /// The line of the ledger.
  public let seq: UInt64
  /// When it was recorded.
  public let at: Instant
  /// What was done, in a word or two.
  public let what: String
  /// On what: a grant's key, a job, days, a request or a plan.
  public let subject: String
  /// What it gives, takes or asks for, in words; empty where it tells nothing.
  public let content: String
  /// Why.
  public let reason: String
  /// Who.
  public let actor: String

  /// An act.
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

/// Acts by hand: all are counted, and of those that a page can show the newest are kept.
public struct HandActs: Sendable {
  /// So many are kept.
  public static let limit = 200

  /// How many there are of each kind and actor.
  public private(set) var counts: [AuditFigures.Act: Int] = [:]
  private var kept: [HandAct] = []

  /// None.
  public init() {}

  /// The acts that are kept, newest first.
  public var newest: [HandAct] {
    Array(kept.sorted { $0.seq > $1.seq }.prefix(Self.limit))
  }

  /// Adds one.
  public mutating func add(_ act: HandAct) {
    counts[.init(what: act.what, actor: act.actor), default: 0] += 1
    keep(act)
  }

  private mutating func keep(_ act: HandAct) {
    kept.append(act)
    if kept.count > 2 * Self.limit { kept = newest }
  }

  /// The acts of both.
  public static func += (left: inout HandActs, right: HandActs) {
    left.counts.merge(right.counts, uniquingKeysWith: +)
    for act in right.newest { left.keep(act) }
  }
}
