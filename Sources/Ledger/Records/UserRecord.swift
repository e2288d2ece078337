public import CivilTime
public import Described
public import RewardRules

/// The record of a user's zone from an instant on, or of the user's removal.
public struct UserRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// The IANA zone; unchanged by a removal.
  public var zone: String
  /// The instant from which it holds: the import, the announcement of a zone change, or the boundary where the change
  /// took effect.
  public var from: Instant
  /// The first judged day, if it is not the day of `from`.
  public var since: Day?
  /// The opening balance.
  public var opening: OpeningBalance?
  /// The label of the day that ended at `from`, if a move takes effect there.
  public var takesEffect: Day?
  /// Whether the user leaves.
  public var removed: Bool
  /// Whether the id is a pseudonym: the API knows the user by another id, which only the roster holds. Stated by every
  /// import, return and move that a roster asks for.
  public var pseudonym: Bool
  /// Whether the user leaves for good and everything about them but the ledger's lines is deleted.
  public var forgotten: Bool
  /// Whether the roster states no first day. Stated only where the record names an act.
  public var undated: Bool
  /// The line of the act behind it, an `operator` record; nil for what needs none: a zone, or a
  /// first day that is still running. Nil in lines of earlier versions.
  public var by: UInt64?

  /// Creates the record of a user.
  public init(
    user: String, zone: String, from: Instant, since: Day? = nil,
    opening: OpeningBalance? = nil, takesEffect: Day? = nil, removed: Bool = false,
    pseudonym: Bool = false, forgotten: Bool = false, undated: Bool = false, by: UInt64? = nil
  ) {
    self.user = user
    self.zone = zone
    self.from = from
    self.since = since
    self.opening = opening
    self.takesEffect = takesEffect
    self.removed = removed
    self.pseudonym = pseudonym
    self.forgotten = forgotten
    self.undated = undated
    self.by = by
  }
}

extension UserRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    zone = try coder.field("zone", value?.pointee.zone)
    from = try coder.field("from", value?.pointee.from)
    since = try coder.optional("since", value?.pointee.since)
    opening = try coder.optional("opening", value?.pointee.opening)
    takesEffect = try coder.optional("takesEffect", value?.pointee.takesEffect)
    removed = try coder.field("removed", value?.pointee.removed, unless: false)
    pseudonym = try coder.field("pseudonym", value?.pointee.pseudonym, unless: false)
    forgotten = try coder.field("forgotten", value?.pointee.forgotten, unless: false)
    undated = try coder.field("undated", value?.pointee.undated, unless: false)
    by = try coder.optional("by", value?.pointee.by)
  }
}

extension UserRecord {
  /// What a roster says about a new user: the id, the first day if it names one, and the opening balance. It is the same on every day.
  public var told: String {
    let opening = opening.map { String(decoding: $0.json, as: UTF8.self) }
    return "\(user) \(undated ? "" : since?.description ?? "") \(opening ?? "")"
  }
}

/// What a user brings from before the ledger.
public struct OpeningBalance: Sendable, Equatable {
  /// Shop points, cheer coins, and exp within the level.
  public var amounts: Amounts
  /// The level; level rewards up to it count as received.
  public var level: Int32
  /// The length of the streak on the day before the first judged day.
  public var streak: Int32
  /// Items as `CATEGORY/ITEM`.
  public var items: [String]
  /// When the user's last booster ends; nil for none.
  public var boosterUntil: Instant?
  /// The number of days with a login so far. Only recorded.
  public var totalLogins: Int64 = 0

  /// Creates a balance.
  public init(
    _ amounts: Amounts, level: Int32 = 1, streak: Int32 = 0, items: [String] = []
  ) {
    self.amounts = amounts
    self.level = level
    self.streak = streak
    self.items = items
  }
}

extension OpeningBalance: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      try Amounts(old: &coder, value?.pointer(to: \.amounts)),
      level: try coder.field("level", value?.pointee.level),
      streak: try coder.field("streak", value?.pointee.streak),
      items: try coder.field("items", value?.pointee.items))
    try amounts.addLater(&coder, value?.pointer(to: \.amounts))
    boosterUntil = try coder.optional("boosterUntil", value?.pointee.boosterUntil)
    totalLogins = try coder.field("totalLogins", value?.pointee.totalLogins, unless: 0)
  }
}
