import AuditReport
import CivilTime
import Engine
import Ledger
import Scheduling

/// The checks that look at records and pasts, of some users.
struct AuditPart: PastGathering {
  private var closes: CloseSumCheck
  private var links: LinkCheck
  private var outliers: OutlierCheck
  private var deliveries: DeliveryCheck
  private var balances: BalanceCheck
  private var rederivation: Rederivation
  private let now: Instant
  /// What a page shows; nil when nobody asks for one.
  private(set) var figures: FiguresCount?
  /// The user-days that wait for a backfill.
  var waiting: AuditReport.Waiting {
    AuditReport.Waiting(count: rederivation.waiting.count, since: rederivation.waiting.since)
  }
  /// How far each sink has been served.
  var sinks: [AuditFigures.Sink] { deliveries.figures }

  init(
    list: FindingList, sinks: [SinkProgress] = [], outside: [OutsideBalance] = [],
    now: Instant = .latest, countsFigures: Bool = false
  ) {
    self.now = now
    if countsFigures { figures = FiguresCount() }
    closes = CloseSumCheck(list: list)
    links = LinkCheck(list: list)
    outliers = OutlierCheck(list: list)
    deliveries = DeliveryCheck(list: list, sinks: sinks, now: now)
    balances = BalanceCheck(list: list, outside: outside)
    rederivation = Rederivation(list: list)
  }

  mutating func add(_ record: Record, before state: LedgerState) {
    closes.add(record, before: state)
    links.add(record, before: state)
    outliers.add(record, before: state)
    deliveries.add(record)
    figures?.add(record, before: state)
  }

  mutating func examine(_ timeline: Timeline) {
    balances.note(rederivation.examine(timeline, now: now), of: timeline.account.id)
  }

  mutating func finish(_ state: LedgerState) {
    balances.compare(state)
    figures?.finish(state)
  }

  mutating func merge(_ other: AuditPart) {
    closes.merge(other.closes)
    links.merge(other.links)
    outliers.merge(other.outliers)
    deliveries.merge(other.deliveries)
    balances.merge(other.balances)
    rederivation.merge(other.rederivation)
    if let theirs = other.figures { figures?.merge(theirs) }
  }

  /// The checks, each with what it found of everybody.
  var checks: [AuditReport.Check] {
    rederivation.results + [
      closes.concluded(), links.concluded(), deliveries.concluded(), balances.concluded(),
      outliers.concluded(),
    ]
  }
}
