public import CivilTime
public import Described
import Evidence
import RewardRules

/// The fold over the ledger: every account, every zone's closes, the rules in use.
///
/// Whoever applies the same records in order holds the same state. Nothing in it is true unless the ledger says so; it needs
/// no time zones, no clock and no rules but those in the ledger.
public struct LedgerState: Sendable {
  /// Which users the state follows, and whether it keeps their whole past.
  public enum Scope: Sendable {
    /// All users, settled up to their boundaries.
    case everybody
    /// These users only, with their whole past.
    case pasts(of: Set<String>)
    /// All users for whom the function returns true, with their whole past.
    case pastsWhere(@Sendable (String) -> Bool)
    /// All users, with so much of their past as is not forgotten.
    case recentPasts
  }

  /// The last applied record.
  public internal(set) var seq: UInt64 = 0
  /// The recorded time of the last applied record.
  public internal(set) var at: Instant = .earliest
  /// The ledger's id, empty before its genesis.
  public internal(set) var ledger = ""
  /// Whether the ledger's time is simulated; nil where its genesis does not tell.
  public internal(set) var isSimulated: Bool?
  /// The users.
  public internal(set) var users: UserTable
  /// How far each zone is closed, by zone name.
  public internal(set) var closes: [String: ZoneCloses] = [:]
  /// The rules that came into use.
  public internal(set) var rules = RuleHistory()
  /// The documents that came into use, as JSON with their lines, in the order of the ledger.
  public internal(set) var ruleTexts: [RuleText] = []
  /// The fingerprint of the draw secret, nil before the first document.
  public internal(set) var drawKey: String?
  /// Declared outages with their lines, in the order of the ledger.
  public internal(set) var excuses: [Excuse] = []
  /// The last line that came late for closed days of many users at once: an outage for all, or a correction of rules; 0 for none.
  public internal(set) var lateForAll: UInt64 = 0
  /// The clock that an operator has confirmed last; nil when none was.
  public internal(set) var acceptedClock: Instant?
  /// Closes of `ZONE/DAY` that an operator has confirmed.
  public internal(set) var confirmedCloses: Set<String> = []
  /// How far jobs are dealt with.
  public internal(set) var jobs = JobMarks()
  /// What more than one person must want.
  public internal(set) var requests = RequestMarks()
  /// The last close, and the kinds that it says were watched.
  var lastClose: (record: CloseRecord, watched: KindSet?)?
  private var scope: Scope

  /// Creates a state before the first record.
  public init(_ scope: Scope = .everybody) {
    self.scope = scope
    users = UserTable(keeping: scope.pasts)
  }

  /// Creates the users of `state`, which follows everybody, for whom `isWanted` returns true; records that follow are
  /// added to their past, of which nothing else is known.
  public init(_ state: LedgerState, where isWanted: (String) -> Bool) throws(BinaryError) {
    self = state
    scope = .recentPasts
    users = try UserTable(state.users, where: isWanted)
  }

  /// A rules document as the ledger holds it.
  public struct RuleText: Sendable, Equatable {
    /// Its line.
    public var seq: UInt64
    /// Its JSON.
    public var text: String
  }

  /// An outage that an operator declared.
  public struct Excuse: Sendable, Equatable {
    /// Its line.
    public internal(set) var seq: UInt64
    /// What it says.
    public internal(set) var record: ExcuseRecord

    /// What a line says.
    public init(seq: UInt64, record: ExcuseRecord) {
      self.seq = seq
      self.record = record
    }

    /// Returns whether it may concern a user's day: an outage does only where it hid something, a withdrawal takes
    /// another one away.
    public func covers(_ user: String, on day: Day) -> Bool {
      record.from <= day && day <= record.to && record.users?.contains(user) ?? true
    }
  }

  /// Those of `excuses` that stood after the line `last`.
  public static func standing(_ excuses: [Excuse], asOf last: UInt64) -> [Excuse] {
    let known = excuses.filter { $0.seq <= last }
    let withdrawn = Set(known.compactMap(\.record.withdraws))
    return known.filter { $0.record.withdraws == nil && !withdrawn.contains($0.seq) }
  }

  /// Accounts in the order of their first record.
  @inlinable public var accounts: AccountPages { users.accounts }
  /// Returns the index of a user's account, nil when the ledger does not know the user.
  public func index(of user: String) -> Int? { users.index(of: user) }
  /// Returns the account at `index`.
  public func account(at index: Int) -> Account { users.accounts[index] }
  /// Returns the past of the account at `index`; nil where it is not kept.
  public func history(at index: Int) -> AccountHistory? { users.pasts[index] }
  /// Returns how many closed days of the account at `index` are kept and not forgotten.
  public func heldDays(at index: Int) -> Int { users.pasts.heldDays(at: index) }
  /// Returns a user's account, nil when the ledger does not know the user.
  public func account(of user: String) -> Account? { index(of: user).map { users.accounts[$0] } }
  /// Returns the accounts that live in a zone, or did, by index, each once, in no order.
  public func residents(of zone: Int32) -> [Int32] { users.zones.residents(of: zone) }
  /// Returns the name of the zone in which a user lives now.
  public func zone(of account: Account) -> String { users.zones[account.zone] }
  /// Returns the outages that cover days of a user, in the order of the ledger.
  public func excuses(for user: String) -> [Excuse] {
    excuses.isEmpty ? [] : excuses.filter { $0.record.users?.contains(user) ?? true }
  }

  /// Makes room for so many more users, who are about to come.
  public mutating func reserve(users count: Int) { users.reserve(count) }

  /// Returns whether the state follows a user.
  func follows(_ user: String) -> Bool {
    switch scope {
    case .everybody, .recentPasts: true
    case .pasts(let users): users.contains(user)
    case .pastsWhere(let isWanted): isWanted(user)
    }
  }
}

extension LedgerState.Scope {
  /// What is kept of the past of the users that are followed.
  fileprivate var pasts: UserPasts.Kind {
    switch self {
    case .everybody: .none
    case .pasts, .pastsWhere: .whole
    case .recentPasts: .recent
    }
  }
}

extension LedgerState {
  /// Returns whether facts came late for closed days of the account that no plan has brought in: only then may a plan
  /// change something.
  public func hasLateFacts(_ account: Account) -> Bool {
    account.late != nil || lateForAll > account.plannedThrough
  }

  /// What stands under a key of a user whose past is kept, closed days included; nil when nothing was ever granted under it.
  public func standing(_ key: String, of user: String) -> StandingGrant? {
    guard let index = index(of: user) else { return nil }
    return accounts[index].grants.open.first { $0.text == key }
      ?? users.history(at: index)?.grants.first { $0.text == key }
  }
}

extension LedgerState {
  /// Returns the accounts whose days the records since the last call have settled, by index, in order; of ``Scope/recentPasts``.
  public mutating func dequeueSettled() -> [Int] { users.pasts.dequeueSettled() }

  /// Forgets the past of an account up to the end of its last closed day, which must be as it should be.
  public mutating func forgetPast(at index: Int) {
    users.pasts[index]?.forget(through: users.accounts[index])
  }

  /// Keeps no past of an account any more.
  public mutating func dropPast(at index: Int) { users.pasts[index] = nil }
}
