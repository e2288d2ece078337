/// The accounts of all users, in the order in which the ledger named them.
///
/// They are kept in pages: a change beside a copy that somebody holds, as who writes a snapshot does, copies one page and not
/// all accounts.
public struct AccountPages: Sendable, Equatable {
  /// How many accounts a page holds.
  @usableFromInline static let pageSize = 1_024

  /// All but the last of them are full.
  @usableFromInline var pages: [[Account]] = []
  /// How many accounts there are.
  public private(set) var count = 0

  /// None.
  init() {}

  /// These accounts.
  init(_ accounts: some Sequence<Account>) {
    for account in accounts { append(account) }
  }

  /// Adds the account of a new user.
  mutating func append(_ account: Account) {
    if count.isMultiple(of: Self.pageSize) { pages.append([]) }
    pages[pages.count - 1].append(account)
    count += 1
  }
}

extension AccountPages: RandomAccessCollection {
  /// The first account's place.
  public var startIndex: Int { 0 }
  /// The place behind the last account.
  public var endIndex: Int { count }

  /// The account at a place that is one of ``indices``.
  @inlinable public internal(set) subscript(place: Int) -> Account {
    // Lends the account: a copy of one counts ten references.
    _read { yield pages[place / Self.pageSize][place % Self.pageSize] }
    _modify { yield &pages[place / Self.pageSize][place % Self.pageSize] }
  }
}
