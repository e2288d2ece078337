internal import CivilTime
public import Described
public import RewardRules

/// The record of what a user received or spent elsewhere.
public struct CreditRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// What the user received and spent, and when.
  public var credit: Credit
  /// The sender's id of the line; each id counts once per user.
  public var id: String?
  /// The configured source that handed in the line; nil for the hand.
  public var sender: String?
  /// The line of the act behind it, an `operator` record; only of what a person handed in.
  public var by: UInt64?
  /// The id of the request that a second person has approved; nil for what one person, or a source, may hand in.
  public var request: String?

  /// Creates the record of a credit.
  public init(user: String, _ credit: Credit, id: String? = nil, sender: String? = nil) {
    self.user = user
    self.credit = credit
    self.id = id
    self.sender = sender
  }
}

extension CreditRecord {
  /// The id by its bytes. Texts are equal by their characters, so that two spellings of "é" would be one id.
  public var exactID: String? {
    id.map { id in
      id.utf8.allSatisfy { $0 < 0x80 } ? id : "=" + id.utf8.map { "\($0)" }.joined(separator: "=")
    }
  }
}

extension CreditRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    credit = try Credit(&coder, value?.pointer(to: \.credit))
    id = try coder.optional("id", value?.pointee.id)
    sender = try coder.optional("sender", value?.pointee.sender)
    by = try coder.optional("by", value?.pointee.by)
    request = try coder.optional("request", value?.pointee.request)
  }
}

extension Credit: DescribedObject {
  /// Reads or writes the fields, in their order in a line and in a snapshot. Old lines have the first three.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      effective: try coder.field("effective", value?.pointee.effective),
      exp: try coder.field("exp", value?.pointee.amounts.exp),
      items: try coder.field("items", value?.pointee.items))
    amounts.points = try coder.field("points", value?.pointee.amounts.points, unless: 0)
    try amounts.addLater(&coder, value?.pointer(to: \.amounts))
    boosterDays = try coder.field("boosterDays", value?.pointee.boosterDays, unless: 0)
  }
}
