public import CivilTime
public import RewardRules

/// The fold over the ledger: every account, every zone's closes, the rules in use.
///
/// Whoever applies the same records in order holds the same book. Nothing in it is true unless the ledger says so.
public struct Book: Sendable {
  /// The last applied record.
  public private(set) var seq: UInt64 = 0
  /// The recorded time of the last applied record.
  public private(set) var at: Instant = .earliest
  /// The ledger's id, empty before its genesis.
  public internal(set) var ledger = ""
  /// Accounts in the order of their first record.
  public internal(set) var accounts: [Account] = []
  /// Zone names by index.
  public internal(set) var zones: [String] = []
  /// How far each zone is closed, by zone name.
  public internal(set) var closes: [String: ZoneCloses] = [:]
  /// The rules that came into use; nil before the first document.
  public internal(set) var rules: RuleBook?
  /// The documents that came into use, as JSON, in the order of the ledger.
  public internal(set) var ruleTexts: [String] = []
  /// The fingerprint of the draw secret, nil before the first document.
  public internal(set) var drawKey: String?
  /// Declared outages, in the order of the ledger.
  public internal(set) var excuses: [ExcuseRecord] = []
  /// The clock that an operator has confirmed last; nil when none was.
  public internal(set) var acceptedClock: Instant?
  /// Closes of `ZONE/DAY` that an operator has confirmed.
  public internal(set) var confirmedCloses: Set<String> = []

  /// The last recorded fire of each job and zone, by `JOB|ZONE`; skipped and missed ones count.
  public internal(set) var lastRuns: [String: RunMark] = [:]
  /// Grows with every record that may change what jobs are due: users, runs and acts of operators.
  public private(set) var jobEpoch: UInt64 = 0
  /// The jobs that an operator has paused, by name.
  public internal(set) var pauses: [String: PauseMark] = [:]
  /// Since when each zone has had users, by zone name; zones without users are missing.
  public internal(set) var zonesSince: [String: Instant] = [:]

  /// The accounts with a zone change that has not taken effect, by index.
  public internal(set) var changing: Set<Int> = []

  var population: [Int32: Int] = [:]
  var indexByID: [String: Int] = [:]
  var zoneIndex: [String: Int32] = [:]

  /// An empty book.
  public init() {}

  /// The index of a user's account, nil when the ledger does not know the user.
  public func index(of user: String) -> Int? { indexByID[user] }

  /// A user's account, nil when the ledger does not know the user.
  public func account(of user: String) -> Account? { indexByID[user].map { accounts[$0] } }

  /// The name of the zone in which a user lives now.
  public func zone(of account: Account) -> String { zones[Int(account.zone)] }

  /// Whether an operator declared an outage for this user and day.
  public func isExcused(user: String, day: Day) -> Bool {
    excuses.contains { excuse in
      excuse.from <= day && day <= excuse.to && excuse.users?.contains(user) ?? true
    }
  }

  /// Takes the next record in.
  public mutating func apply(_ record: Record) {
    seq = record.seq
    at = record.at
    switch record.body {
    case .user, .run, .operator: jobEpoch += 1
    default: break
    }
    switch record.body {
    case .genesis(let genesis): ledger = genesis.ledger
    case .user(let user): apply(user)
    case .rules(let rules): apply(rules)
    case .evidence(let evidence): apply(evidence, seq: record.seq)
    case .credit(let credit): apply(credit)
    case .grant(let grant): apply(grant)
    case .streak(let streak):
      withAccount(of: streak.user) { account in
        if streak.what == .repaired, streak.day <= account.boundaryDay {
          account.amended = record.seq
          return account.repairStreak(on: streak.day, to: streak.after, counts: false)
        }
        account.mark(DayMark(day: streak.day, what: streak.what, after: streak.after))
      }
    case .unknown(let unknown):
      withAccount(of: unknown.user) { $0.markUnknown(unknown.mission, on: unknown.day) }
    case .close(let close): apply(close)
    case .excuse(let excuse): excuses.append(excuse)
    case .reversal(let reversal): apply(reversal)
    case .refused(let refused): apply(refused)
    case .operator(let act): apply(act)
    case .level(let level):
      let caps = self.caps(on: account(of: level.user)?.boundaryDay ?? Day(number: 0))
      withAccount(of: level.user) { $0.apply(level, seq: record.seq, caps: caps) }
    case .run(let run):
      let key = "\(run.job)|\(run.zone)"
      let mark = RunMark(nominal: run.nominal, nominalLocal: run.nominalLocal)
      if let last = lastRuns[key], mark.isPassed(by: last) { break }
      lastRuns[key] = mark
    case .seal: break
    }
  }

  /// Restores the position of a book that was read from a snapshot.
  mutating func restore(seq: UInt64, at: Instant) {
    self.seq = seq
    self.at = at
  }

  /// Puts an account back that was read from a snapshot.
  mutating func restore(_ account: Account) {
    indexByID[account.id] = accounts.count
    accounts.append(account)
    if !account.changes.isEmpty { changing.insert(accounts.count - 1) }
    if !account.isRemoved { population[account.zone, default: 0] += 1 }
  }

  /// How many users live in the zone of `account`.
  public func neighbours(of account: Account) -> Int { population[account.zone] ?? 0 }

  /// Counts a user in or out of a zone, and notes since when the zone has had any: the move of its first one counts,
  /// for the day that the move extends may end there, in a run that is not recorded yet.
  mutating func populate(_ zone: Int32, by change: Int) {
    let count = population[zone, default: 0] + change
    population[zone] = count
    let name = zones[Int(zone)]
    if count == 0 {
      zonesSince[name] = nil
    } else if zonesSince[name] == nil {
      zonesSince[name] = min(at, arrivals[name] ?? at)
    }
  }

  /// Since when users have been moving into zones, by zone name, of moves that have not taken effect.
  public var arrivals: [String: Instant] {
    var arrivals: [String: Instant] = [:]
    for user in changing where !accounts[user].isRemoved {
      for change in accounts[user].changes {
        arrivals[change.zone] = min(arrivals[change.zone] ?? change.at, change.at)
      }
    }
    return arrivals
  }

  /// The documents that came into use, in the order of the ledger.
  public var documents: [RulesDocument] {
    ruleTexts.compactMap { try? RulesDocument.parse(Array($0.utf8)).get() }
  }

  /// The level table in force on a day; before the first document the app's own.
  func caps(on day: Day) -> [Int64] {
    (rules?.rules(on: day) ?? RulesDocument.builtIn).levels.caps
  }

  mutating func withAccount(of user: String, _ change: (inout Account) -> Void) {
    if let index = indexByID[user] { change(&accounts[index]) }
  }

  /// The index of a zone's name, new names at the end.
  mutating func intern(zone: String) -> Int32 {
    if let index = zoneIndex[zone] { return index }
    let index = Int32(zones.count)
    zones.append(zone)
    zoneIndex[zone] = index
    return index
  }
}
