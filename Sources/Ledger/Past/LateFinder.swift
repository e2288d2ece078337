import CivilTime

/// Finds the users whose closed days may have to change: by evidence, an excuse or a correction of rules that came after
/// the close.
public struct LateFinder: Sendable {
  private var book = Book()
  private var late: Set<String> = []
  private var isForAll = false

  /// Nothing was read yet.
  public init() {}

  /// The users, as far as the ledger was read.
  public var users: Set<String> {
    isForAll ? Set(book.accounts.map(\.id)) : late
  }

  /// Takes the next record in.
  public mutating func apply(_ record: Record) {
    switch record.body {
    case .evidence(let evidence):
      if let account = book.account(of: evidence.user), evidence.from < account.boundary {
        late.insert(evidence.user)
      }
    case .excuse(let excuse):
      let isLate = book.closes.values.contains { $0.last.day >= excuse.from }
      if let users = excuse.users { late.formUnion(users) } else if isLate { isForAll = true }
    case .rules(let rules):
      let isLate = book.closes.values.contains { $0.last.day >= rules.effectiveFrom }
      if rules.corrects != nil, isLate { isForAll = true }
    default: break
    }
    book.apply(record)
  }
}
