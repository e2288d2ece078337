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

/// The newest acts by hand: more than a page can show are not kept.
public struct HandActs: Sendable {
  /// So many are kept.
  public static let limit = 200

  private var kept: [HandAct] = []

  /// None.
  public init() {}

  /// The acts that are kept, newest first.
  public var newest: [HandAct] {
    Array(kept.sorted { $0.seq > $1.seq }.prefix(Self.limit))
  }

  /// Adds one.
  public mutating func add(_ act: HandAct) {
    kept.append(act)
    if kept.count > 2 * Self.limit { kept = newest }
  }

  /// The acts of both.
  public static func += (left: inout HandActs, right: HandActs) {
    for act in right.newest { left.add(act) }
  }
}
