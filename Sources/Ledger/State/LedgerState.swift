public import CivilTime
public import Described
import Evidence
import RewardRules

/// The fold over the ledger: every account, every zone's closes, and the rules in use.
///
/// Applying the same records in order always gives the same state. It holds only what the ledger says, and needs no
/// time zones, no clock and no rules except those in the ledger.
public struct LedgerState: Sendable {
  /// The users that the state follows, and how much of their past it keeps.
  public enum Scope: Sendable {
    /// All users, without their past.
    case everybody
    /// Only these users, with their whole past.
    case pasts(of: Set<String>)
    /// All users for whom the function returns true, with their whole past.
    case pastsWhere(@Sendable (String) -> Bool)
    /// All users, with the past not yet forgotten.
    case recentPasts
  }

  /// The sequence number of the last applied record.
  public internal(set) var seq: UInt64 = 0
  /// The recorded time of the last applied record.
  public internal(set) var at: Instant = .earliest
  /// The ledger's id; empty before its genesis.
  public internal(set) var ledger = ""
  /// The ledger of which this is a part, while its lines are those from before the division; nil behind them. Snapshots, which follow them,
  /// leave it out.
  public internal(set) var undivided: String?
  /// The id of the ledger in which people signed what the next line states.
  public var signedLedger: String { undivided ?? ledger }
  /// Whether the ledger's time is simulated; nil if its genesis does not say.
  public internal(set) var isSimulated: Bool?
  /// The users.
  public internal(set) var users: UserTable
  /// How far each zone is closed, by zone name.
  public internal(set) var closes: [String: ZoneCloses] = [:]
  /// The rules that came into use.
  public internal(set) var rules = RuleHistory()
  /// The documents that came into use, as JSON with their lines, in ledger order.
  public internal(set) var ruleTexts: [RuleText] = []
  /// The fingerprint of the draw secret; nil before the first document.
  public internal(set) var drawKey: String?
  /// The outages and pardons with their lines, in ledger order.
  public internal(set) var excuses: [Excuse] = []
  /// The last line that was late for closed days of many users (an outage for all, or a correction of rules), or 0.
  public internal(set) var lateForAll: UInt64 = 0
  /// The clock reading last confirmed by an operator; nil if none was.
  public internal(set) var acceptedClock: Instant?
  /// The closes confirmed by an operator.
  public internal(set) var confirmedCloses: Set<ZoneDay> = []
  /// How far jobs have been handled.
  public internal(set) var jobs = JobMarks()
  /// The acts that need more than one person.
  public internal(set) var requests = RequestMarks()
  /// What credits have given today.
  public internal(set) var dayCredits = DayCredits()
  /// What one person may give alone, as the ledger says; nil while it says nothing.
  public internal(set) var limits: HandLimits?
  /// Whose signatures count, as an `allowed_signers` file; nil while the ledger says nothing.
  public internal(set) var signers: String?
  /// The programs that may hand in inbox lines; nil while the ledger says nothing.
  public internal(set) var sources: [InboxSource]?
  /// Who gave how much alone this month.
  public internal(set) var hands = HandSums()
  /// The last close, and the kinds that it says were watched.
  var lastClose: (record: CloseRecord, watched: KindSet?)?
  private var scope: Scope

  /// Creates a state before the first record.
  public init(_ scope: Scope = .everybody) {
    self.scope = scope
    users = UserTable(keeping: scope.pasts)
  }

  /// Creates a state of those users of `state`, which follows everybody, for whom `isWanted` returns true. Later
  /// records are added to their past, of which nothing else is known.
  public init(_ state: LedgerState, where isWanted: (String) -> Bool) throws(BinaryError) {
    self = state
    scope = .recentPasts
    users = try UserTable(state.users, where: isWanted)
  }

  /// A rules document as the ledger holds it.
  public struct RuleText: Sendable, Equatable {
    /// The document's line.
    public var seq: UInt64
    /// The document's JSON.
    public var text: String
    /// The version of the built-in rules that complete it; nil as in ``RulesRecord/defaults``.
    public var defaults: String?
  }

  /// An outage or pardon, or the withdrawal of one.
  public struct Excuse: Sendable, Equatable {
    /// The line of the outage or pardon.
    public internal(set) var seq: UInt64
    /// The record of the outage or pardon.
    public internal(set) var record: ExcuseRecord

    /// Creates an outage or pardon.
    public init(seq: UInt64, record: ExcuseRecord) {
      self.seq = seq
      self.record = record
    }

    /// Returns whether the outage or pardon may concern a user's day. An outage does so only where it hid something; a
    /// withdrawal cancels another record.
    public func covers(_ user: String, on day: Day) -> Bool {
      record.from <= day && day <= record.to && record.users?.contains(user) ?? true
    }
  }

  /// Returns those of `excuses` that are in force after the line `last`.
  public static func standing(_ excuses: [Excuse], asOf last: UInt64) -> [Excuse] {
    let known = excuses.filter { $0.seq <= last }
    let withdrawn = Set(known.compactMap(\.record.withdraws))
    return known.filter { $0.record.withdraws == nil && !withdrawn.contains($0.seq) }
  }

  /// The accounts, in the order of their first records.
  @inlinable public var accounts: AccountPages { users.accounts }
  /// Returns the index of a user's account; nil if the ledger does not know the user.
  public func index(of user: String) -> Int? { users.index(of: user) }
  /// Returns the account at `index`.
  public func account(at index: Int) -> Account { users.accounts[index] }
  /// Returns the past of the account at `index`; nil if it is not kept.
  public func history(at index: Int) -> AccountHistory? { users.pasts[index] }
  /// Returns how many closed days of the account at `index` are kept.
  public func heldDays(at index: Int) -> Int { users.pasts.heldDays(at: index) }
  /// Returns a user's account; nil if the ledger does not know the user.
  public func account(of user: String) -> Account? { index(of: user).map { users.accounts[$0] } }
  /// Returns the indices of the accounts that live or lived in a zone, each once, in no particular order.
  public func residents(of zone: Int32) -> [Int32] { users.zones.residents(of: zone) }
  /// Returns the name of the zone in which a user lives now.
  public func zone(of account: Account) -> String { users.zones[account.zone] }
  /// Returns the outages and pardons that may cover days of a user, in ledger order.
  public func excuses(for user: String) -> [Excuse] {
    excuses.isEmpty ? [] : excuses.filter { $0.record.users?.contains(user) ?? true }
  }

  /// Reserves room for `count` more users.
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
  /// How much of the past of the followed users is kept.
  fileprivate var pasts: UserPasts.Kind {
    switch self {
    case .everybody: .none
    case .pasts, .pastsWhere: .whole
    case .recentPasts: .recent
    }
  }
}

extension LedgerState {
  /// Returns whether late facts for the account's closed days exist that no plan has counted. Only then may a plan
  /// change anything.
  public func hasLateFacts(_ account: Account) -> Bool {
    account.late != nil || lateForAll > account.plannedThrough
  }

  /// Returns what stands under a key, including closed days, for a user whose past is kept; nil if nothing was ever
  /// granted under it.
  public func standing(_ key: String, of user: String) -> StandingGrant? {
    guard let index = index(of: user) else { return nil }
    return accounts[index].grants.open.first { $0.text == key }
      ?? users.history(at: index)?.grants.first { $0.text == key }
  }
}

extension LedgerState {
  /// Returns, in order, the indices of accounts whose days were closed since the last call; only for
  /// ``Scope/recentPasts``.
  public mutating func dequeueSettled() -> [Int] { users.pasts.dequeueSettled() }

  /// Forgets the past of an account up to the end of its last closed day, which must be correct.
  public mutating func forgetPast(at index: Int) {
    users.pasts[index]?.forget(through: users.accounts[index])
  }

  /// Stops keeping the past of an account.
  public mutating func dropPast(at index: Int) { users.pasts[index] = nil }
}
