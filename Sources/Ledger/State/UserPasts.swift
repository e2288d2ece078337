/// The histories kept for the users of a table, by account index.
struct UserPasts: Sendable {
  /// How much of the past is kept.
  enum Kind: Sendable {
    /// None.
    case none
    /// All of it.
    case whole
    /// The part not forgotten, with a note of the accounts whose days are closed.
    case recent
  }

  private let kind: Kind
  private var histories: [AccountHistory?] = []
  private var settled: [Int] = []
  /// Stands in for a history that is not kept.
  private var nothing: AccountHistory?

  /// Creates an empty collection.
  init(_ kind: Kind) { self.kind = kind }

  /// The history of the account at `index`, to read or add to; nil if it is not kept.
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

  /// Appends the history of the next account.
  mutating func append(_ history: AccountHistory) {
    if kind != .none { histories.append(history) }
  }

  /// Returns whether the history of the account at `index` is kept; cheaper than getting it.
  func holds(_ index: Int) -> Bool {
    kind != .none && index < histories.count && histories[index] != nil
  }

  /// Returns how many closed days of an account are kept.
  func heldDays(at index: Int) -> Int {
    guard kind != .none, index < histories.count else { return 0 }
    return histories[index]?.days.count ?? 0
  }

  /// Records that a day of an account has been closed.
  mutating func noteSettled(_ index: Int) {
    if kind == .recent { settled.append(index) }
  }

  /// Returns, in order, the indices of accounts whose days were closed since the last call; may repeat some.
  mutating func dequeueSettled() -> [Int] {
    defer { settled = [] }
    return settled
  }
}

extension AccountHistory {
  /// Adds a closed day. `isToldWhole` says whether its close's line is known, which states the day's own window.
  mutating func add(_ day: ClosedDay, isToldWhole: Bool) {
    days.append(day)
    if forgotten != nil, !isToldWhole { isIncomplete = true }
  }
}
