import Evidence
import Scheduling
import Threading

/// What a journal of looks would hold: the last entry of each user and route.
final class KeptLooks: LookKeeping {
  private struct Place: Hashable {
    let user: String
    let source: Source
  }

  private let state = Lock((entries: [Place: LookEntry](), watermark: InboxWatermark?.none))

  var entries: [LookEntry] { state.withLock { Array($0.entries.values) } }
  var watermark: InboxWatermark? { state.withLock { $0.watermark } }

  func keep(_ entries: [LookEntry]) async {
    state.withLock { state in
      for entry in entries {
        state.entries[Place(user: entry.user, source: entry.source)] = entry
      }
    }
  }

  func keep(watermark: InboxWatermark) async { state.withLock { $0.watermark = watermark } }
}
