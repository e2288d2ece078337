import CivilTime
import Ledger
import Scheduling

/// The checks that look at records and pasts, of some users.
struct AuditPart: PastPart {
  private var closes: CloseSumCheck
  private var links: LinkCheck
  private var outliers: OutlierCheck
  private var deliveries: DeliveryCheck
  private var balances: BalanceCheck
  private var rederivation: Rederivation
  /// What a page shows; nil when nobody asks for one.
  private(set) var figures: FiguresCount?
  /// How far each sink has been served.
  var sinks: [AuditFigures.Sink] { deliveries.figures }

  init(
    list: FindingList, sinks: [DeliveryCheck.Sink] = [], outside: [OutsideBalance] = [],
    now: Instant = .latest, countsFigures: Bool = false
  ) {
    if countsFigures { figures = FiguresCount() }
    closes = CloseSumCheck(list: list)
    links = LinkCheck(list: list)
    outliers = OutlierCheck(list: list)
    deliveries = DeliveryCheck(list: list, sinks: sinks, now: now)
    balances = BalanceCheck(list: list, outside: outside)
    rederivation = Rederivation(list: list)
  }

  mutating func take(_ record: Record, before fold: PastFold) {
    closes.take(record, before: fold.book)
    links.take(record, before: fold)
    outliers.take(record, before: fold.book)
    deliveries.take(record)
    figures?.take(record, before: fold)
  }

  mutating func examine(_ past: UserPast, _ context: JudgeContext) {
    balances.note(rederivation.examine(past, context), of: past.account.id)
  }

  mutating func finish(_ book: Book) {
    balances.compare(book)
    figures?.finish(book)
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
