import AuditPage
import CivilTime
import Evidence
import Ledger
import RewardRules
import Scheduling

/// Counts what people gave to some users, and what evidence gave, as records pass in order.
///
/// It keeps one sum for each month, door and person. Only of the current month does it know which users got something, to count each
/// of them once: later records never belong to an earlier month.
struct HandCount: Sendable {
  /// How many users who got the most are kept.
  private static let mostReceivers = 10

  /// What one person gave through one door in the current month, and the indices of the users who got it.
  private struct Current: Sendable {
    private var row: GivenByHand.Row
    private var users: Set<Int> = []

    init(_ place: GivenByHand.Place) { row = GivenByHand.Row(place) }

    /// Adds what a record gives to the users with these indices.
    mutating func add(_ sums: GivenByHand.Sums, isAgreed: Bool, to users: [Int]) {
      row.sums += sums
      if isAgreed { row.agreed += sums }
      self.users.formUnion(users)
    }

    /// The row with the number of its users.
    var settled: GivenByHand.Row {
      var row = row
      row.users = users.count
      return row
    }
  }

  private let acts: [UInt64: OperatorRecord]
  private let agreed: [UInt64: String]
  /// The lines of releases, by the keys that they let through.
  private let released: [String: UInt64]
  private var rows: [GivenByHand.Place: GivenByHand.Row] = [:]
  private var evidence: [Day: Amounts] = [:]
  private var receivers: [GivenByHand.Receiver] = []
  /// The first day of the current month, and the month's seconds.
  private var month = Day(number: 0)
  private var seconds: Range<Int64> = 0..<0
  /// The current month's sums.
  private var current: [GivenByHand.Place: Current] = [:]
  private var currentEvidence = Amounts()
  /// The last act that was named, and the person behind it.
  private var last: (act: UInt64, person: String)?

  /// Creates a count without records; `acts` are those that records name, `agreed` holds what two people agreed on, both by line.
  init(acts: [UInt64: OperatorRecord], agreed: [UInt64: String]) {
    self.acts = acts
    self.agreed = agreed
    let releases = acts.filter { $0.value.act == .release }
    released = Dictionary(releases.map { ($0.value.subject, $0.key) }) { max($0, $1) }
  }

  /// Counts a record; `state` is the state before it.
  mutating func add(_ record: Record, before state: LedgerState) {
    move(to: record.at)
    let line = line(behind: record.body)
    if line == nil, case .grant(let grant) = record.body, !grant.isByHand {
      currentEvidence += grant.reward.amounts
      return
    }
    let act = line.flatMap { acts[$0] }
    guard let door = Self.door(of: record.body, act) else { return }
    let users = Self.users(of: record.body, in: state)
    let sums = Self.sums(of: record, to: users.count, state)
    let who = person(behind: record.body, line, act, state.handLimits)
    let place = GivenByHand.Place(month: month, door: door, who: who)
    let isAgreed = agreed[record.seq] != nil || line.map { agreed[$0] != nil } ?? false
    current[place, default: Current(place)].add(sums, isAgreed: isAgreed, to: users)
    noteReceiver(of: record, state)
  }

  /// Adds the counts of other records, about other users.
  mutating func merge(_ other: HandCount) {
    var other = other
    other.settle()
    settle()
    for (place, row) in other.rows { rows[place, default: GivenByHand.Row(place)].add(row) }
    evidence.merge(other.evidence, uniquingKeysWith: +)
    for receiver in other.receivers { keep(receiver) }
  }

  /// Everything that was counted.
  var given: GivenByHand {
    var count = self
    count.settle()
    return GivenByHand(
      Array(count.rows.values), evidence: count.evidence, receivers: count.receivers)
  }

  /// Begins a new month if `at` is in another than the last record.
  private mutating func move(to at: Instant) {
    if seconds.contains(at.seconds) { return }
    settle()
    month = HandMonth.month(of: at)
    let (year, number, _) = month.civil
    let first = Int64(month.number) * 86_400
    seconds = first..<first + Int64(Day.days(inMonth: number, of: year)) * 86_400
  }

  /// Adds the current month's sums to the others.
  private mutating func settle() {
    for (place, counted) in current {
      rows[place, default: GivenByHand.Row(place)].add(counted.settled)
    }
    current = [:]
    if !currentEvidence.isZero { evidence[month, default: Amounts()] += currentEvidence }
    currentEvidence = Amounts()
  }

  /// Returns the line of the act behind a record. What a release lets through on a day that is still open names no act.
  private func line(behind body: RecordBody) -> UInt64? {
    if let by = body.by { return by }
    guard !released.isEmpty, case .grant(let grant) = body else { return nil }
    return released[grant.key]
  }

  /// Returns the person behind a record, or the source; nil where the ledger names nobody.
  private mutating func person(
    behind body: RecordBody, _ line: UInt64?, _ act: OperatorRecord?, _ limits: HandLimits
  ) -> String? {
    guard let line, let act else { return body.ownActor.map(limits.person) ?? body.sender }
    if let last, last.act == line { return last.person }
    let person = limits.person(act.actor)
    last = (line, person)
    return person
  }

  /// Notes what the user of a record has been given this month without a second person.
  private mutating func noteReceiver(of record: Record, _ state: LedgerState) {
    let given = state.hands.givenAlone(by: record.body, state.rules)
    guard !given.isEmpty, let user = record.body.user else { return }
    let before = state.account(of: user)?.hand.given(at: record.at) ?? [:]
    let limits = state.handLimits
    let most = limits.perAct.mapValues { $0.multipliedSaturated(by: limits.perUserAndMonth) }
    keep(
      GivenByHand.Receiver(
        user: user, month: month, sums: GivenByHand.Sums(before.adding(given)),
        limit: GivenByHand.Sums(most)))
  }

  /// Keeps a user's sums, in the place of earlier ones, if they are among the largest.
  private mutating func keep(_ receiver: GivenByHand.Receiver) {
    receivers.removeAll { $0.user == receiver.user && $0.month == receiver.month }
    receivers.append(receiver)
    receivers.sort { ($1.share, $0.user, $0.month) < ($0.share, $1.user, $1.month) }
    if receivers.count > Self.mostReceivers { receivers.removeLast() }
  }
}

extension HandCount {
  /// Returns the door through which a record gives something; nil for a record that is no person's or source's. `act` is the one behind
  /// it.
  private static func door(
    of body: RecordBody, _ act: OperatorRecord?
  ) -> GivenByHand.Door? {
    switch body {
    case .grant(let grant):
      if act?.act == .release { return .release }
      if !grant.isPlanned { return .gift }
      return grant.isFor(.waived) ? .waiver : .plan
    case .reversal(let reversal): return reversal.undone ? .undoing : .plan
    case .credit(let record):
      if record.credit.given.isEmpty { return nil }
      return record.sender == nil ? .credit : .source
    case .user(let user):
      return user.opening != nil ? .opening : act?.act == .bringIn ? .endedDays : nil
    case .evidence(let evidence):
      return evidence.source == .inbox && evidence.sender == nil ? .activity : nil
    case .excuse(let excuse):
      return excuse.outage == nil && excuse.withdraws == nil ? .pardon : nil
    case .rules(let rules): return rules.by == nil ? nil : .rules
    default: return nil
    }
  }

  /// Returns the indices of the users who get something by a record. A new user has the next one.
  private static func users(of body: RecordBody, in state: LedgerState) -> [Int] {
    if let user = body.user { return [state.index(of: user) ?? state.accounts.count] }
    guard case .excuse(let excuse) = body else { return [] }
    if let names = excuse.users { return names.compactMap { state.index(of: $0) } }
    let all = 0..<state.accounts.count
    guard let zone = excuse.zone else { return Array(all) }
    return all.filter { state.zone(of: state.account(at: $0)) == zone }
  }

  /// Returns what a record gives to so many users.
  private static func sums(
    of record: Record, to users: Int, _ state: LedgerState
  ) -> GivenByHand.Sums {
    var sums = GivenByHand.Sums()
    switch record.body {
    case .grant(let grant):
      sums.amounts = grant.reward.amounts
      sums.items = Int64(grant.reward.items.count - grant.removedItems.count)
    case .reversal(let reversal):
      sums.amounts = reversal.reward.amounts
      sums.items = Int64(reversal.reward.items.count - reversal.removedItems.count)
    case .credit(let record): sums = GivenByHand.Sums(record.credit.given)
    case .user(let user):
      sums = GivenByHand.Sums(record.body.givenByHand(state.rules))
      sums.days = max(0, record.at.seconds(since: user.from) / 86_400)
    case .excuse(let excuse):
      let days = Int64(excuse.to.number) - Int64(excuse.from.number) + 1
      sums.days = days.multipliedSaturated(by: Int64(users))
    default: break
    }
    sums.records = 1
    return sums
  }
}

extension GivenByHand.Row {
  /// Adds what other users got.
  fileprivate mutating func add(_ other: GivenByHand.Row) {
    sums += other.sums
    agreed += other.agreed
    users += other.users
  }
}

extension GrantRecord {
  /// Whether it says that a person or a plan gave it.
  fileprivate var isByHand: Bool { cause == "manual" || isPlanned }
}

extension RecordBody {
  /// Who acted, where the record itself holds that.
  fileprivate var ownActor: String? {
    switch self {
    case .reversal(let record): record.actor
    case .excuse(let record): record.actor
    default: nil
    }
  }
}
