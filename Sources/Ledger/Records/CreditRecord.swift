public import CivilTime
public import Described

/// The record of what a user received elsewhere.
public struct CreditRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// When it takes effect.
  public var effective: Instant
  /// Exp, 0 or more.
  public var exp: Int64
  /// Items as `CATEGORY/ITEM`.
  public var items: [String]
  /// The sender's id of the line; each id counts once per user.
  public var id: String?

  /// Creates the record of a credit.
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

extension CreditRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    effective = try coder.field("effective", value?.pointee.effective)
    exp = try coder.field("exp", value?.pointee.exp)
    items = try coder.field("items", value?.pointee.items)
    id = try coder.optional("id", value?.pointee.id)
  }
}
