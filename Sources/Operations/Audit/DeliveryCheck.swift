import AuditPage
import CivilTime
import Ledger

/// Counts the grants not yet sent to each sink, and how long they have waited.
struct DeliveryCheck: AuditCheck {
  static let id = 10
  static let name = "deliveries"

  /// The wait, in seconds, after which a grant no longer counts as on its way.
  private static let longestSeconds: Int64 = 24 * 3_600

  private(set) var list: FindingList
  private(set) var examined = 0
  private let sinks: [SinkProgress]
  private let now: Instant
  /// The delivery counts of each sink.
  private var tallies: [Tally]

  private struct Tally: Sendable {
    /// The number of grants that the sink wants.
    var wanted = 0
    var waiting = 0
    var oldestWaiting: Instant?
  }

  init(list: FindingList, sinks: [SinkProgress], now: Instant) {
    self.list = list
    self.sinks = sinks
    self.now = now
    tallies = sinks.map { _ in Tally() }
  }

  mutating func add(_ record: Record) {
    guard case .grant(let grant) = record.body else { return }
    for (index, sink) in sinks.enumerated() where sink.wantsGrants(of: grant.user) {
      examined += 1
      tallies[index].wanted += 1
      if sink.isWaiting(record.seq, of: grant.user) {
        tallies[index].waiting += 1
        tallies[index].oldestWaiting = tallies[index].oldestWaiting ?? record.at
      }
    }
  }

  /// Notes a flaw in a sink's own folder.
  mutating func note(_ flaw: String, of sink: String) {
    list.add(AuditReport.Finding("sink \(sink): \(flaw)"))
  }

  /// The delivery progress of each sink.
  var figures: [AuditFigures.Sink] {
    zip(sinks, tallies).map { sink, tally in
      AuditFigures.Sink(
        name: sink.name, delivered: tally.wanted - tally.waiting,
        waiting: tally.waiting,
        oldestWaitingSeconds: tally.oldestWaiting.map { now.seconds(since: $0) })
    }
  }

  mutating func merge(_ other: DeliveryCheck) {
    examined += other.examined
    for (index, theirs) in other.tallies.enumerated() {
      tallies[index].wanted += theirs.wanted
      tallies[index].waiting += theirs.waiting
      tallies[index].oldestWaiting =
        [tallies[index].oldestWaiting, theirs.oldestWaiting].compactMap(\.self).min()
    }
  }

  mutating func conclude() {
    for (sink, tally) in zip(sinks, tallies) {
      guard let oldest = tally.oldestWaiting, now.seconds(since: oldest) > Self.longestSeconds
      else { continue }
      list.add(
        AuditReport.Finding(
          "sink \(sink.name): \(tally.waiting) grants wait, the oldest since \(oldest); rewards serve delivers them"
        ))
    }
  }
}
