/// Takes a grant back, or undoes that.
public struct ReversalRecord: Sendable, Equatable {
  /// The key of the grant.
  public var key: String
  /// The user's id.
  public var user: String
  /// Whether this undoes an earlier reversal.
  public var undone: Bool
  /// Why.
  public var reason: String
  /// Who.
  public var actor: String

  /// The record with these fields.
  public init(
    key: String, user: String, undone: Bool = false, reason: String, actor: String
  ) {
    self.key = key
    self.user = user
    self.undone = undone
    self.reason = reason
    self.actor = actor
  }
}
