import Ledger
import NotificationRelay

/// Says where a sink stands in a part of a ledger that stood somewhere in the whole. Pure.
///
/// What is to be sent again, and what was given up, is not said.
struct SinkDivision {
  /// Whether a user is in the part.
  private let holds: (String) -> Bool
  /// The part, written.
  private let division: LedgerDivision

  init(holds: @escaping (String) -> Bool, _ division: LedgerDivision) {
    self.holds = holds
    self.division = division
  }

  /// The changes with which the sink begins; `cursor` is the part's seal before all that followed the whole's.
  func changes(of progress: RelayProgress, at cursor: LedgerHead) -> [RelayChange] {
    var changes = [RelayChange.cursor(cursor)]
    // Beyond the cursor a lane has been served up to some event; what follows it is to be sent.
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

  /// The order of lanes.
  private static func name(_ lane: Lane) -> String { "\(lane.user) \(lane.kind)" }
}
