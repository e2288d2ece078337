/// What is kept of the past of the users of a table, by the index of their accounts.
struct UserPasts: Sendable {
  /// How much is kept.
  enum Kind: Sendable {
    /// Nothing.
    case none
    /// All of it.
    case whole
    /// What is not forgotten; and it is noted whose days are settled.
    case recent
  }

  private let kind: Kind
  private var histories: [AccountHistory?] = []
  private var settled: [Int] = []
  /// What stands in the place of a history that is not kept.
  private var nothing: AccountHistory?

  /// Nothing yet.
  init(_ kind: Kind) { self.kind = kind }

  /// The history of the account at `index`, to be read or added to; nil where it is not kept.
  subscript(index: Int) -> AccountHistory? {
    get { kind != .none && index < histories.count ? histories[index] : nil }
    _modify {
      if kind != .none, index < histories.count {
        yield &histories[index]
      } else {
        yield &nothing
        nothing = nil
      }
    }
  }

  /// Adds the history of the next account.
  mutating func append(_ history: AccountHistory) {
    if kind != .none { histories.append(history) }
  }

  /// Returns whether the history of the account at `index` is kept; cheaper than asking for it.
  func holds(_ index: Int) -> Bool {
    kind != .none && index < histories.count && histories[index] != nil
  }

  /// Returns how many closed days of an account are kept.
  func heldDays(at index: Int) -> Int {
    guard kind != .none, index < histories.count else { return 0 }
    return histories[index]?.days.count ?? 0
  }

  /// Notes that a day of an account has been settled.
  mutating func noteSettled(_ index: Int) {
    if kind == .recent { settled.append(index) }
  }

  /// Returns the accounts whose days have been settled since this was asked last, by index, in order; one may come several times.
  mutating func dequeueSettled() -> [Int] {
    defer { settled = [] }
    return settled
  }
}

extension AccountHistory {
  /// Adds a closed day. `isToldWhole` says whether the line of its close is known, which tells the day's own window.
  mutating func add(_ day: ClosedDay, isToldWhole: Bool) {
    days.append(day)
    if forgotten != nil, !isToldWhole { isIncomplete = true }
  }
}
