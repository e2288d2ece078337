/// All that the ledger says of one user, with every closed day open again.
public struct UserPast: Sendable {
  /// The account as it stands: settled up to its boundary.
  public let account: Account
  /// The account as it would stand had no day been closed: everything ever granted, seen and credited is still open.
  public let reopened: Account
  /// The closed days, in order; days before a user left and came back are not among them.
  public let days: [PastDay]
  /// Declared outages that name the user or everybody, with their places in the ledger.
  public let excuses: [(seq: UInt64, excuse: ExcuseRecord)]
}
