public import CivilTime
import Digests
import Evidence
import Ledger
import LedgerStore
import RewardRules
import Scheduling
import Threading

/// Explains days. Changes nothing; reads the ledger up to its last seal, whether a service holds it or not.
public struct Explainer: Sendable {
  private let configuration: Configuration
  private let surroundings: WorkplaceSurroundings

  /// An explainer over the data folder of this configuration.
  public init(_ configuration: Configuration, _ surroundings: WorkplaceSurroundings) {
    self.configuration = configuration
    self.surroundings = surroundings
  }

  /// Why a day cannot be explained.
  public enum Problem: Error, Sendable, Equatable {
    /// The ledger does not know the user.
    case noUser
    /// The user was not judged on that day; the first judged day.
    case notJudged(first: Day)
  }

  /// The explanation; throws ``Problem``, ``LedgerStore/LedgerError`` or ``SecretError``.
  public func explain(_ user: String, _ day: Day) async throws -> Explanation {
    let directory = DataDirectory(configuration.data)
    let (fold, collected) = try await BlockingThread(named: "rewards.explain").run {
      [surroundings] in
      var fold = PastFold(zones: surroundings.zones) { $0 == user }
      var collector = DayCollector(user: user, day: day)
      try LedgerReader.open(directory).readRecords(after: 0) { record in
        fold.apply(record)
        collector.take(record)
      }
      return (fold, collector)
    }
    guard let past = fold.pasts.first, let rules = fold.book.rules else { throw Problem.noUser }
    let context = try JudgeContext(
      configuration, rules: rules, environment: surroundings.environment)
    let found =
      day <= past.account.boundaryDay
      ? past.explanation(of: day, by: context)
      : try await explainOpen(user, day, fold.book, context)
    guard let found else { throw Problem.notJudged(first: past.account.firstDay) }
    let records = collected.records(in: found.window)
    let names = (context.rules.rules(on: day)?.missions.kinds.kinds ?? []).map(\.name)
    return Explanation(
      user: user, day: found, tzdata: collected.tzdata ?? surroundings.zones.version,
      records: records, deliveries: deliveries(of: records),
      missions: ["login"] + names.sorted()
        + ["level", "manual", "waived"].filter { mission in
          records.contains { $0.grants(mission) }
        })
  }

  /// An open day is judged by the looks that were kept, as the service does it.
  private func explainOpen(
    _ user: String, _ day: Day, _ book: Book, _ context: JudgeContext
  ) async throws -> DayExplanation? {
    let kept = try await LookJournal(DataDirectory(configuration.data)).read()
    let clock = surroundings.clock
    let clerk = Clerk(
      book: book, context: context, zones: surroundings.zones, clock: clock,
      ledger: InMemoryLedger(
        after: LedgerHead(seq: book.seq, hash: .zero), keepsRecords: false, now: { clock.now() }),
      looks: ForgettingLooks())
    await clerk.restore(kept.entries, watermark: kept.watermark)
    return try await clerk.read { desk in
      guard let index = desk.book.index(of: user) else { return nil }
      return try desk.explanation(of: day, user: index, now: clock.now())
    }
  }

  private func deliveries(of records: [Explanation.Sealed]) -> [Explanation.Delivery] {
    RelayCursors.read(configuration).flatMap { sink in
      records.compactMap { sealed in
        guard case .grant(let grant) = sealed.record.body else { return nil }
        return Explanation.Delivery(
          sink: sink.sink, key: grant.key, seq: sealed.record.seq,
          isDelivered: sealed.record.seq <= sink.seq)
      }
    }
  }
}

extension Explanation.Sealed {
  fileprivate func grants(_ mission: String) -> Bool {
    if case .grant(let grant) = record.body { grant.mission == mission } else { false }
  }
}

/// Gathers what the ledger says of one user's day.
private struct DayCollector: Sendable {
  let user: String
  let day: Day
  private(set) var tzdata: String?
  private var sealed: [Explanation.Sealed] = []
  private var unsealed: [Record] = []
  private var keys: Set<String> = []
  private var zones: Set<String> = []

  init(user: String, day: Day) {
    self.user = user
    self.day = day
  }

  mutating func take(_ record: Record) {
    if case .seal(let seal) = record.body {
      let head = LedgerHead(seq: record.seq, hash: seal.hash)
      sealed += unsealed.map { Explanation.Sealed(record: $0, seal: head) }
      unsealed = []
    } else if concerns(record.body) {
      unsealed.append(record)
    }
  }

  /// The records; of the evidence only what touches the window.
  func records(in window: UserWindow) -> [Explanation.Sealed] {
    sealed.filter { item in
      guard case .evidence(let evidence) = item.record.body else { return true }
      let activity = SeenActivity(
        kind: evidence.kind, from: evidence.from, to: evidence.to, isOpen: evidence.open)
      return activity.effective(in: window.window, counting: .overlaps) != nil
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
    case .evidence: return true
    case .streak(let streak): return streak.day == day
    case .unknown(let unknown): return unknown.day == day
    case .refused(let refused): return refused.day == day
    case .reversal(let reversal): return keys.contains(reversal.key)
    default: return false
    }
  }
}
