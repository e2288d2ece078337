public import CivilTime
public import Evidence
internal import StrictJSON

/// An activity that was observed; never whom a gift went to.
public struct EvidenceRecord: Sendable, Equatable {
  /// The user's id.
  public var user = ""
  /// What the user did, and when.
  public var activity = Activity(kind: .comment, from: .earliest, to: .earliest)
  /// Where it was seen.
  public var source = Source.inbox
  /// When the look was made.
  public var observedAt = Instant.earliest

  init() {}

  /// The record of an activity.
  public init(user: String, activity: Activity, source: Source, observedAt: Instant) {
    self.user = user
    self.activity = activity
    self.source = source
    self.observedAt = observedAt
  }
}

extension EvidenceRecord: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    var (kind, from, to, isOpen) = (activity.kind, activity.from, activity.to, activity.isOpen)
    try coder.field("user", &user)
    try coder.field("kind", &kind)
    try coder.field("from", &from)
    try coder.field("to", &to)
    try coder.field("open", &isOpen, unless: false)
    try coder.field("source", &source)
    try coder.field("observedAt", &observedAt)
    activity = Activity(kind: kind, from: from, to: to, isOpen: isOpen)
  }
}

/// What a user got elsewhere.
public struct CreditRecord: Sendable, Equatable {
  /// The user's id.
  public var user = ""
  /// When it takes effect.
  public var effective = Instant.earliest
  /// Exp, 0 or more.
  public var exp: Int64 = 0
  /// Items as `CATEGORY/ITEM`.
  public var items: [String] = []
  /// The sender's id of the line: one id counts once per user.
  public var id: String?

  init() {}

  /// The record of a credit.
  public init(
    user: String, effective: Instant, exp: Int64, items: [String], id: String? = nil
  ) {
    self.user = user
    self.effective = effective
    self.exp = exp
    self.items = items
    self.id = id
  }
}

extension CreditRecord: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    try coder.field("user", &user)
    try coder.field("effective", &effective)
    try coder.field("exp", &exp)
    try coder.field("items", &items)
    try coder.field("id", &id)
  }
}
