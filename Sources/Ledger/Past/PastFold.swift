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
  /// The closed days by the account's index in `book`.
  private var days: [[PastDay]] = []
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
      guard let user = record.body.user, isWanted(user) else { return }
      reopened.apply(Record(seq: record.seq, at: record.at, body: record.body.unsettled))
    }
  }

  /// The past of the wanted users, in the order of their accounts.
  public var pasts: [UserPast] {
    var pasts: [UserPast] = []
    eachPast { pasts.append($0) }
    return pasts
  }

  /// What stands under a key of a wanted user, closed days included; nil when nothing was ever granted under it.
  public func standing(_ key: String, of user: String) -> StandingGrant? {
    reopened.account(of: user)?.grants.first { $0.text == key }
  }

  /// Calls `body` with the past of each wanted user, in the order of their accounts.
  public func eachPast(_ body: (UserPast) -> Void) {
    let forAll = excuses.filter { $0.excuse.users == nil }
    let isForSome = forAll.count < excuses.count
    for index in wanted {
      let account = book.accounts[index]
      guard let reopened = reopened.account(of: account.id) else { continue }
      let excuses =
        isForSome ? excuses.filter { $0.excuse.users?.contains(account.id) ?? true } : forAll
      body(
        UserPast(
          account: account, reopened: reopened, days: index < days.count ? days[index] : [],
          excuses: excuses))
    }
  }

  private mutating func apply(_ record: Record, _ close: CloseRecord) {
    let zone = book.zones.firstIndex(of: close.zone).map(Int32.init)
    let settled = wanted.filter {
      book.accounts[$0].zone == zone && book.accounts[$0].isSettled(by: close)
    }
    let starts = settled.map { book.accounts[$0].boundary }
    book.apply(record)
    let ownStart = ownStart(of: close.window.day, in: close.zone)
    for (index, start) in zip(settled, starts) {
      note(
        index, from: start, ownStart: ownStart, zone: close.zone, seq: record.seq,
        someWereHeld: close.counts.held > 0)
    }
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
      if let index, user.since != nil, !user.removed, index < days.count { days[index] = [] }
      return reopened.apply(record)
    }
    if let index, let boundary, book.accounts[index].boundary > boundary {
      // The close of another zone tells nothing of those who were held in this one: somebody may have been.
      note(
        index, from: boundary, ownStart: ownStart(of: book.accounts[index].boundaryDay, in: zone),
        zone: zone, seq: record.seq, someWereHeld: true)
    }
  }

  private func ownStart(of day: Day, in zone: String) -> Instant? {
    (try? zones.zone(named: zone))?.window(of: day)?.start
  }

  /// Notes that the account at `index` was settled; a window that begins later than the zone's own day was made shorter by
  /// a move.
  private mutating func note(
    _ index: Int, from start: Instant, ownStart: Instant?, zone: String, seq: UInt64,
    someWereHeld: Bool
  ) {
    while days.count <= index { days.append([]) }
    let account = book.accounts[index]
    let window = DayWindow(day: account.boundaryDay, start: start, end: account.boundary)
    let isShortened = !days[index].isEmpty && start > ownStart ?? start
    days[index].append(
      PastDay(
        window: UserWindow(window: window, zone: zone, isShortened: isShortened), seq: seq,
        someWereHeld: someWereHeld))
  }
}

extension RecordBody {
  /// The record without what it says of settled days: where no day is closed there is none.
  var unsettled: RecordBody {
    switch self {
    case .grant(var grant) where grant.settled != nil:
      grant.settled = nil
      return .grant(grant)
    case .reversal(var reversal) where reversal.settled != nil:
      reversal.settled = nil
      return .reversal(reversal)
    default: return self
    }
  }

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
