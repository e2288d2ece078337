import CivilTime
import Evidence
import Foundations
import Scheduling

/// What a journal of polls would hold: the last entry of each user and route.
final class KeptLooks: LookKeeping {
  private struct Place: Hashable {
    let user: String
    let source: Source
  }

  private let state = Lock((entries: [Place: LookEntry](), inboxThrough: Instant?.none))

  var entries: [LookEntry] { state.withLock { Array($0.entries.values) } }
  var inboxThrough: Instant? { state.withLock { $0.inboxThrough } }

  func keep(_ entries: [LookEntry]) {
    state.withLock { state in
      for entry in entries {
        state.entries[Place(user: entry.user, source: entry.source)] = entry
      }
    }
  }

  func keep(inboxThrough: Instant) { state.withLock { $0.inboxThrough = inboxThrough } }

  func rewrite(_ entries: some Sequence<LookEntry>, inboxThrough: Instant?) {
    state.withLock { state in
      state.entries = [:]
      state.inboxThrough = inboxThrough
    }
    keep(Array(entries))
  }
}
