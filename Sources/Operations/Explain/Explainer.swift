package import CivilTime
package import Configuration
import Digests
import Engine
import Evidence
import Failures
import Foundations
import Ledger
package import LedgerStore
import NotificationRelay
import RewardRules
import Scheduling

/// Explains days. Changes nothing; reads the ledger up to its last seal, whether or not a service holds it.
package struct Explainer: Sendable {
  private let configuration: Configuration
  private let environment: RuntimeEnvironment

  /// Creates an explainer for this configuration's data folder.
  package init(_ configuration: Configuration, _ environment: RuntimeEnvironment) {
    self.configuration = configuration
    self.environment = environment
  }

  /// Returns the explanation; throws ``Failures/Failure`` when the ledger does not know the user or the user was not
  /// judged on that day, ``LedgerStore/LedgerError``, ``RuntimeError`` or ``Configuration/SecretError``.
  package func explain(
    _ user: String, _ day: Day, in reader: LedgerReader
  ) async throws -> Explanation {
    let (state, collected) = try await BlockingThread(named: "rewards.explain").run {
      var state = LedgerState(.pasts(of: [user]))
      var collector = DayCollector(user: user, day: day)
      try reader.scan(.of(.named([user]))) { record in
        state.apply(record)
        collector.add(record)
      }
      return (state, collector)
    }
    guard let index = state.index(of: user) else { throw Failure.unknownUser(user) }
    try state.requireRules()
    let now = environment.clock.now()
    let timeline = try await timeline(of: index, in: state, now: now)
    let days = timeline.evaluate(.all, tracing: day).days
    guard let found = days.first(where: { $0.day == day }) else {
      let zone = try environment.zones.zone(named: state.zone(of: timeline.account))
      let today = zone.localDateTime(at: now).day
      guard day <= today else {
        throw Failure(
          .badData, "\(day) has not begun for the user", place: "user \"\(user)\"",
          remedy: "It is \(today) in \(zone.name).")
      }
      throw Failure(
        .badData, "the user was not judged on \(day)", place: "user \"\(user)\"",
        remedy: "The first judged day is \(timeline.account.firstDay); "
          + "each later day begins with the user's own local day.")
    }
    let records = try await BlockingThread(named: "rewards.explain").run {
      let records = collected.records(in: found.window)
      let seals = try reader.seals(of: records.map(\.seq))
      return zip(records, seals).map { Explanation.Sealed(record: $0, seal: $1) }
    }
    return Explanation(
      user: user, day: found,
      isDayOfLeaving: !found.isClosed
        && timeline.account.leftAt.map { found.window.end > $0 } ?? false,
      waiting: waiting(found, timeline, now: now),
      tzdata: collected.tzdata ?? environment.zones.version, records: records,
      requests: state.requests, deliveries: try await deliveries(of: records),
      missions: missions(of: found.rules, records))
  }

  /// Returns the missions of the rules and any other missions with grants, including those of rules that were since
  /// corrected.
  private func missions(of rules: RulesDocument, _ records: [Explanation.Sealed]) -> [String] {
    let known = [OtherMission.login.rawValue] + rules.missions.kinds.kinds.map(\.name).sorted()
    return known + Set(records.compactMap(\.mission)).subtracting(known).sorted()
  }

  /// Returns the user's whole timeline, with open days as the kept polls show them.
  private func timeline(
    of index: Int, in state: LedgerState, now: Instant
  ) async throws -> Timeline {
    let account = state.accounts[index]
    let looks = try await BlockingThread(named: "rewards.explain").run {
      try KeptLooks(configuration, now: now, of: [account.id])
    }
    var windows = Windows(zones: environment.zones)
    return Timeline(
      account: account, history: state.users.history(at: index),
      openWindows: try windows.open(
        of: account, zone: state.zone(of: account), through: now, in: state),
      looks: looks[account.id], inboxThrough: looks.inboxThrough,
      excuses: state.excuses(for: account.id),
      rules: state.rules,
      terms: try EngineTerms(configuration, variables: environment.variables))
  }

  /// Returns what a backfill of the day, and of earlier waiting days, would append; nil when the day does not wait.
  private func waiting(
    _ day: EvaluatedDay, _ timeline: Timeline, now: Instant
  ) -> Explanation.Waiting? {
    guard day.isClosed else { return nil }
    let days = PastReview(timeline, now: now).waitingDays
    guard let first = days.first, days.contains(day.day) else { return nil }
    let terms = PlanTerms(
      plan: "explain", days: first...day.day, protection: .everything, through: .max, now: now)
    return Explanation.Waiting(since: first, records: UserPlan(timeline, terms).records)
  }

  private func deliveries(
    of records: [Explanation.Sealed]
  ) async throws -> [Explanation.Delivery] {
    let grants = records.compactMap { sealed in
      if case .grant(let grant) = sealed.record.body { (sealed.record.seq, grant) } else { nil }
    }
    let directory = configuration.directory
    let configuration = configuration
    return try await BlockingThread(named: "rewards.explain").run {
      try SinkProgress.all(configuration).flatMap { sink in
        let attempts = try sink.attempts(at: Set(grants.map(\.0)), in: directory)
        return grants.filter { sink.wantsGrants(of: $0.1.user) }.map { seq, grant in
          Explanation.Delivery(
            sink: sink.name, key: grant.key, seq: seq,
            isWaiting: sink.isWaiting(seq, of: grant.user), attempts: attempts[seq] ?? [])
        }
      }
    }
  }
}

extension Explanation.Delivery {
  fileprivate init(
    sink: String, key: String, seq: UInt64, isWaiting: Bool,
    attempts: [RecordedAttempt]
  ) {
    self.sink = sink
    self.key = key
    self.seq = seq
    let last = attempts.last
    isDead = last?.attempt.outcome == .dead
    isSkipped = last?.attempt.outcome == .skipped
    isDelivered =
      attempts.contains { $0.attempt.outcome == .delivered } || !isWaiting && attempts.isEmpty
    self.attempts = attempts.count
    self.last = last.map { ($0.at, $0.attempt.reason ?? $0.attempt.outcome.rawValue) }
  }
}

extension Explanation.Sealed {
  fileprivate var mission: String? {
    if case .grant(let grant) = record.body { grant.mission } else { nil }
  }
}

/// Collects the ledger's records about one user's day.
private struct DayCollector: Sendable {
  let user: String
  let day: Day
  private(set) var tzdata: String?
  private var records: [Record] = []
  private var keys: Set<String> = []
  /// Manual gifts to the user, which directly precede their grants, by grant key.
  private var gifts: [String: Record] = [:]
  private var zones: Set<String> = []

  init(user: String, day: Day) {
    self.user = user
    self.day = day
  }

  mutating func add(_ record: Record) {
    if case .operator(let act) = record.body, act.act == .grant {
      if GrantKey(act.subject).isOf(user) { gifts[act.subject] = record }
      return
    }
    guard concerns(record.body) else { return }
    if case .grant(let grant) = record.body, let gift = gifts.removeValue(forKey: grant.key) {
      records.append(gift)
    }
    records.append(record)
  }

  /// Returns the records; of evidence and credits only what lies in the window, wholly or in part.
  func records(in window: UserWindow) -> [Record] {
    records.filter { record in
      switch record.body {
      case .evidence(let evidence):
        evidence.activity.effective(in: window.window, counting: .overlaps) != nil
      case .credit(let credit): window.window.contains(credit.credit.effective)
      default: true
      }
    }
  }

  private mutating func concerns(_ body: RecordBody) -> Bool {
    switch body {
    case .close(let close):
      guard close.window.day == day, zones.contains(close.zone) else { return false }
      tzdata = close.tzdata
      return true
    case .excuse(let excuse):
      return excuse.from <= day && day <= excuse.to && excuse.users?.contains(user) ?? true
    default: return body.user == user && concernsDay(body)
    }
  }

  private mutating func concernsDay(_ body: RecordBody) -> Bool {
    switch body {
    case .user(let user):
      zones.insert(user.zone)
      return false
    case .grant(let grant):
      guard grant.day == day else { return false }
      keys.insert(grant.key)
      return true
    case .evidence, .credit: return true
    case .streak(let streak): return streak.day == day
    case .unknown(let unknown): return unknown.day == day
    case .refused(let refused): return refused.day == day
    case .message(let message): return message.day == day
    case .reversal(let reversal): return keys.contains(reversal.key)
    default: return false
    }
  }
}
