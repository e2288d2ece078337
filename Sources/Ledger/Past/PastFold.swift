public import CivilTime

/// A second fold over the ledger, which keeps the whole past of some users: for backfills, audits and explanations.
///
/// Two books are kept: one as always, which says when days were closed, and one to which no close is applied.
public struct PastFold: Sendable {
  /// The book as it stands.
  public private(set) var book = Book()
  private var reopened = Book()
  private let zones: any ZoneSource
  private let isWanted: @Sendable (String) -> Bool
  private var days: [String: [PastDay]] = [:]
  private var excuses: [(seq: UInt64, excuse: ExcuseRecord)] = []
  /// The wanted users' indexes in `book`.
  private var wanted: [Int] = []

  /// A fold that keeps the past of the users that `isWanted` names.
  public init(zones: any ZoneSource, isWanted: @escaping @Sendable (String) -> Bool) {
    self.zones = zones
    self.isWanted = isWanted
  }

  /// Takes the next record in.
  public mutating func apply(_ record: Record) {
    switch record.body {
    case .close(let close): apply(record, close)
    case .user(let user): apply(record, user)
    case .credit(var credit):
      // A credit for a closed day took effect where the open days began then.
      if let account = book.account(of: credit.user) {
        credit.effective = max(credit.effective, account.boundary)
      }
      book.apply(record)
      if isWanted(credit.user) {
        reopened.apply(Record(seq: record.seq, at: record.at, body: .credit(credit)))
      }
    case .excuse(let excuse):
      excuses.append((record.seq, excuse))
      book.apply(record)
    case .rules, .operator:
      book.apply(record)
      reopened.apply(record)
    default:
      book.apply(record)
      if let user = record.body.user, isWanted(user) { reopened.apply(record) }
    }
  }

  /// The past of the wanted users, in the order of their accounts.
  public var pasts: [UserPast] {
    wanted.compactMap { index in
      let account = book.accounts[index]
      guard let reopened = reopened.account(of: account.id) else { return nil }
      return UserPast(
        account: account, reopened: reopened, days: days[account.id] ?? [],
        excuses: excuses.filter { $0.excuse.users?.contains(account.id) ?? true })
    }
  }

  private mutating func apply(_ record: Record, _ close: CloseRecord) {
    let before = wanted.map { book.accounts[$0].boundary }
    book.apply(record)
    for (index, boundary) in zip(wanted, before) where book.accounts[index].boundary > boundary {
      note(index, from: boundary, zone: close.zone, seq: record.seq)
      tellHeld(of: book.accounts[index].id, close.counts.held > 0)
    }
  }

  private mutating func tellHeld(of user: String, _ someWereHeld: Bool) {
    guard var last = days[user]?.popLast() else { return }
    last.someWereHeld = someWereHeld
    days[user]?.append(last)
  }

  private mutating func apply(_ record: Record, _ user: UserRecord) {
    let index = book.index(of: user.user)
    let boundary = index.map { book.accounts[$0].boundary }
    let zone = index.map { book.zone(of: book.accounts[$0]) } ?? user.zone
    book.apply(record)
    guard isWanted(user.user) else { return }
    if index == nil, let new = book.index(of: user.user) { wanted.append(new) }
    guard user.takesEffect != nil, !user.removed else {
      // Somebody who comes back begins anew.
      if user.since != nil, !user.removed { days[user.user] = [] }
      return reopened.apply(record)
    }
    if let index, let boundary, book.accounts[index].boundary > boundary {
      // The close of the same batch says whether anybody was held; until it is there, somebody may have been.
      note(index, from: boundary, zone: zone, seq: record.seq)
    }
  }

  private mutating func note(_ index: Int, from start: Instant, zone: String, seq: UInt64) {
    let account = book.accounts[index]
    let window = DayWindow(day: account.boundaryDay, start: start, end: account.boundary)
    let ownStart = (try? zones.zone(named: zone))?.window(of: window.day)?.start ?? start
    let isFirst = days[account.id, default: []].isEmpty
    days[account.id, default: []].append(
      PastDay(
        window: UserWindow(window: window, zone: zone, isShortened: !isFirst && start > ownStart),
        seq: seq, someWereHeld: true))
  }
}

extension RecordBody {
  /// The user whom the record is about; nil for records about all or none.
  public var user: String? {
    switch self {
    case .user(let record): record.user
    case .evidence(let record): record.user
    case .credit(let record): record.user
    case .grant(let record): record.user
    case .streak(let record): record.user
    case .level(let record): record.user
    case .unknown(let record): record.user
    case .reversal(let record): record.user
    case .refused(let record): record.user
    case .genesis, .rules, .close, .excuse, .run, .operator, .seal: nil
    }
  }
}
