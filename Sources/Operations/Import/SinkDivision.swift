import Ledger
import NotificationRelay

/// Converts a sink's position in the whole ledger to its position in a part. Pure.
///
/// Replays and dead letters are not converted.
struct SinkDivision {
  /// Whether the part has a user.
  private let holds: (String) -> Bool
  /// The division, once the part is written.
  private let division: LedgerDivision

  init(holds: @escaping (String) -> Bool, _ division: LedgerDivision) {
    self.holds = holds
    self.division = division
  }

  /// Returns the sink's initial changes; `cursor` is the part's seal before everything that followed the whole's cursor.
  func changes(of progress: RelayProgress, at cursor: LedgerHead) -> [RelayChange] {
    var changes = [RelayChange.cursor(cursor)]
    // A lane may have been delivered beyond the cursor; what follows it still has to be sent.
    var lanes = progress.settledThrough.mapValues(\.next)
    lanes.merge(progress.behind.mapValues(\.from)) { _, behind in behind }
    for (lane, from) in lanes.sorted(by: { Self.name($0.key) < Self.name($1.key) }) {
      guard lane.user.isEmpty || holds(lane.user) else { continue }
      if let seq = division.number(of: from.seq) {
        changes.append(.behind(lane, from: EventPosition(seq: seq, index: from.index)))
      } else if let seq = division.number(behind: from.seq) {
        changes.append(.behind(lane, from: EventPosition(seq: seq)))
      }
    }
    if let pause = progress.pause {
      changes.append(.paused(reason: pause.reason, actor: pause.actor))
    }
    return changes
  }

  /// Returns the sort key of a lane.
  private static func name(_ lane: Lane) -> String { "\(lane.user) \(lane.kind)" }
}
