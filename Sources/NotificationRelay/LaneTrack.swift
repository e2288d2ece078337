import Ledger

/// An entry in memory.
struct WaitingEntry: Sendable {
  var entry: Entry
  /// Its batch in the window; nil when another account is kept of it.
  var batch: Int?
}

/// What is in memory of a lane.
struct LaneTrack: Sendable {
  var queue: ArraySlice<WaitingEntry> = []
  var isUnderWay = false
  /// Whether it stands among the ready.
  var isReady = false
  /// Whether it stands among those that wait.
  var isWaiting = false
  /// Failed attempts of the first entry.
  var attempts = 0
  /// Where the lane goes on by catching up; nil when the main reading feeds it.
  var readFrom: EventPosition?
  /// Whether the records say that it is behind.
  var isNotedBehind = false
  /// What is to be sent again, loaded or not.
  var replay: ArraySlice<EventPosition> = []

  /// Whether the records say that it is behind, and nothing is behind any more.
  var hasCaughtUp: Bool {
    isNotedBehind && readFrom == nil && queue.first.map { $0.batch != nil } ?? true
  }

  /// Takes out the state of an account that a newer one replaces, unless it is under way.
  mutating func popOlderState(of lane: Lane) -> WaitingEntry? {
    guard lane.kind == .account, queue.count > (isUnderWay ? 1 : 0) else { return nil }
    return queue.popLast()
  }
}
