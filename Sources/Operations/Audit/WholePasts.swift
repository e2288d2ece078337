import AuditPage
import CivilTime
import Engine
import Ledger
import Scheduling

/// The results of reading users from the beginning: checks 4 to 7 and 9, and keys that were granted twice.
struct WholePasts: PastGathering {
  private(set) var rederivation: Rederivation
  private(set) var links: LinkCheck
  /// Repeated keys that the verification did not cover.
  private(set) var repeated: FindingList
  /// How far the ledger falls short of the re-derived amounts, by user, where it does.
  private(set) var shortfalls: [String: RecordTotals] = [:]
  /// The reversals for a page; nil when none is requested.
  private(set) var figures: FiguresCount?
  /// The users whose days wait for a backfill.
  private(set) var waiting: [String] = []
  /// What closes state about these users.
  private(set) var closes = CloseTally()
  /// The last day of each user that the close totals have counted already.
  var counted: [String: Day?] = [:]
  /// When newer time zone databases came into use.
  var zoneChanges: [ClosedRange<Instant>] = []
  private let now: Instant
  /// The keys of each user; nil when a verification has checked all keys.
  private var keys: Set<String>?

  init(list: FindingList, now: Instant, countsFigures: Bool, checksKeys: Bool) {
    rederivation = Rederivation(list: list)
    links = LinkCheck(list: list)
    repeated = list
    self.now = now
    if countsFigures { figures = FiguresCount() }
    if checksKeys { keys = [] }
  }

  mutating func add(_ record: Record, before state: LedgerState) {
    links.add(record, before: state)
    closes.add(record, before: state)
    switch record.body {
    case .reversal(let reversal):
      guard figures != nil, let standing = state.standing(reversal.key, of: reversal.user)
      else { break }
      figures?.add(reversal, of: standing, record)
    case .grant(let grant):
      guard keys?.insert(grant.key).inserted == false else { break }
      repeated.add(
        AuditReport.Finding(
          "the key of grant \(record.seq) was granted before", seq: record.seq, key: grant.key,
          user: grant.user, day: grant.day))
    default: break
    }
  }

  mutating func examine(_ timeline: Timeline) {
    let before = rederivation.waiting.count
    let review = PastReview(timeline, now: now, zoneChanges: zoneChanges)
    let judged = timeline.evaluate(.closed, cutoff: .whatTheCloseKnew).days
    let shortfall = rederivation.examine(timeline, review, judged, now: now)
    if let history = timeline.history {
      closes.add(judged, of: history, behind: counted[timeline.account.id] ?? nil)
    }
    if rederivation.waiting.count > before { waiting.append(timeline.account.id) }
    if shortfall.records > 0 { shortfalls[timeline.account.id] = shortfall }
  }

  mutating func merge(_ other: WholePasts) {
    rederivation.merge(other.rederivation)
    links.merge(other.links)
    closes.mergeJudged(other.closes)
    repeated.merge(other.repeated)
    shortfalls.merge(other.shortfalls) { first, _ in first }
    waiting += other.waiting
    if let theirs = other.figures { figures?.merge(theirs) }
  }

  /// Adds the findings of ``GrantWordsCheck``.
  mutating func add(_ words: GrantWordsCheck) { rederivation.add(words) }

  /// Adds the findings of ``ActCheck``.
  mutating func add(_ acts: ActCheck) { links.add(acts) }

  /// Adds what evaluating open days again would change.
  mutating func add(corrections: [GrantRecord]) { rederivation.add(corrections: corrections) }

  /// Adds the counts of users who were fully proved elsewhere.
  mutating func add(_ proved: ProvedCounts) {
    rederivation.add(proved)
    links.add(Int(proved.links))
  }
}
