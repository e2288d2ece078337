import CivilTime

/// Finds the users whose closed days may have to change: by evidence, an excuse or a correction of rules that came after
/// the close.
public struct LateFinder: Sendable {
  /// The users, as far as they are told one by one.
  public private(set) var users: Set<String> = []
  private var isForAll = false

  /// Nothing was read yet.
  public init() {}

  /// Looks at the next record; `book` stands before it.
  public mutating func take(_ record: Record, before book: Book) {
    switch record.body {
    case .evidence(let evidence):
      if let account = book.account(of: evidence.user), evidence.from < account.boundary {
        users.insert(evidence.user)
      }
    case .excuse(let excuse):
      let isLate = book.closes.values.contains { $0.last.day >= excuse.from }
      if let named = excuse.users { users.formUnion(named) } else if isLate { isForAll = true }
    case .rules(let rules):
      let isLate = book.closes.values.contains { $0.last.day >= rules.effectiveFrom }
      if rules.corrects != nil, isLate { isForAll = true }
    default: break
    }
  }

  /// Looks at the end: what is for all is for everybody whom `book` knows.
  public mutating func finish(_ book: Book) {
    if isForAll { users.formUnion(book.accounts.map(\.id)) }
  }

  /// Adds what was found about other users.
  public mutating func merge(_ other: LateFinder) { users.formUnion(other.users) }
}
