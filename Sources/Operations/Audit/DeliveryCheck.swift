import AuditReport
import CivilTime
import Ledger

/// Counts the grants that each sink has not been sent, and how long they wait.
struct DeliveryCheck: AuditCheck {
  static let id = 10
  static let name = "every grant delivered, dead-lettered or pending"

  /// Whatever waits longer than this is not on its way any more, in seconds.
  private static let longestSeconds: Int64 = 24 * 3_600

  private(set) var list: FindingList
  private(set) var examined = 0
  private let sinks: [SinkProgress]
  private let now: Instant
  private var told: [Int]
  private var waiting: [(count: Int, oldest: Instant?)]
  /// Grants that are neither delivered nor given up, nor on their way, and the line of the first.
  private var passedOver: [(count: Int, first: UInt64)]

  init(list: FindingList, sinks: [SinkProgress], now: Instant) {
    self.list = list
    self.sinks = sinks
    self.now = now
    told = sinks.map { _ in 0 }
    waiting = sinks.map { _ in (0, nil) }
    passedOver = sinks.map { _ in (0, .max) }
  }

  mutating func add(_ record: Record) {
    guard case .grant(let grant) = record.body else { return }
    for (index, sink) in sinks.enumerated() where sink.wantsGrants(of: grant.user) {
      examined += 1
      told[index] += 1
      guard sink.isWaiting(record.seq, of: grant.user) else {
        if sink.isPassedOver(record.seq, grant) {
          passedOver[index].count += 1
          passedOver[index].first = min(passedOver[index].first, record.seq)
        }
        continue
      }
      waiting[index].count += 1
      waiting[index].oldest = waiting[index].oldest ?? record.at
    }
  }

  /// Notes what is wrong with a sink's own log.
  mutating func note(_ flaw: String, of sink: String) {
    list.add(AuditReport.Finding("sink \(sink): \(flaw)"))
  }

  /// How far each sink has been served.
  var figures: [AuditFigures.Sink] {
    sinks.indices.map { index in
      AuditFigures.Sink(
        name: sinks[index].name,
        delivered: told[index] - waiting[index].count - passedOver[index].count,
        waiting: waiting[index].count,
        oldestWaitingSeconds: waiting[index].oldest.map { now.seconds(since: $0) })
    }
  }

  mutating func merge(_ other: DeliveryCheck) {
    examined += other.examined
    for (index, theirs) in other.waiting.enumerated() {
      told[index] += other.told[index]
      waiting[index].count += theirs.count
      passedOver[index].count += other.passedOver[index].count
      passedOver[index].first = min(passedOver[index].first, other.passedOver[index].first)
      let times = [waiting[index].oldest, theirs.oldest].compactMap(\.self)
      waiting[index].oldest = times.min()
    }
  }

  mutating func conclude() {
    for (sink, passed) in zip(sinks, passedOver) where passed.count > 0 {
      list.add(
        AuditReport.Finding(
          "sink \(sink.name): \(passed.count) grants were neither delivered nor given up, the first at line \(passed.first); rewards relay replay sends them"
        ))
    }
    for (sink, waiting) in zip(sinks, waiting) {
      guard let oldest = waiting.oldest, now.seconds(since: oldest) > Self.longestSeconds else {
        continue
      }
      list.add(
        AuditReport.Finding(
          "sink \(sink.name): \(waiting.count) grants wait, the oldest since \(oldest); rewards serve delivers"
        ))
    }
  }
}
