public import CivilTime

/// A declared outage or pardon.
public struct ExcuseRecord: Sendable, Equatable {
  /// The first day.
  public var from: Day
  /// The last day.
  public var to: Day
  /// The users, at most 1,000 a record; nil for all.
  public var users: [String]?
  /// Why.
  public var reason: String
  /// Who.
  public var actor: String

  /// The record with these fields.
  public init(
    from: Day, to: Day, users: [String]? = nil, reason: String, actor: String
  ) {
    self.from = from
    self.to = to
    self.users = users
    self.reason = reason
    self.actor = actor
  }
}
