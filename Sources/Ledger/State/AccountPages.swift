/// The accounts of all users, in the order of their first records.
///
/// They are kept in pages. While a copy exists, e.g. for writing a snapshot, a change copies one page instead of all accounts.
public struct AccountPages: Sendable, Equatable {
  /// The number of accounts per page.
  @usableFromInline static let pageSize = 1_024

  /// The pages; all but the last are full.
  @usableFromInline var pages: [[Account]] = []
  /// The number of accounts.
  public private(set) var count = 0

  /// Creates an empty collection.
  init() {}

  /// Creates a collection of these accounts.
  init(_ accounts: some Sequence<Account>) {
    for account in accounts { append(account) }
  }

  /// Appends the account of a new user.
  mutating func append(_ account: Account) {
    if count.isMultiple(of: Self.pageSize) { pages.append([]) }
    pages[pages.count - 1].append(account)
    count += 1
  }
}

extension AccountPages: RandomAccessCollection {
  /// The index of the first account.
  public var startIndex: Int { 0 }
  /// The index after the last account.
  public var endIndex: Int { count }

  /// The account at one of the ``indices``.
  @inlinable public internal(set) subscript(place: Int) -> Account {
    // Lends the account, because copying one counts ten references.
    _read { yield pages[place / Self.pageSize][place % Self.pageSize] }
    _modify { yield &pages[place / Self.pageSize][place % Self.pageSize] }
  }
}
