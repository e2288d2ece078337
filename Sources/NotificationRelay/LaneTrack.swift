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
}
