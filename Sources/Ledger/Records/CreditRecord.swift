public import CivilTime

/// What a user got elsewhere.
public struct CreditRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// When it takes effect.
  public var effective: Instant
  /// Exp, 0 or more.
  public var exp: Int64
  /// Items as `CATEGORY/ITEM`.
  public var items: [String]
  /// The sender's id of the line: one id counts once per user.
  public var id: String?

  /// The record with these fields.
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
