import Ledger

/// The part of a lane that is in memory.
struct LaneTrack: Sendable {
  var queue: ArraySlice<LaneEntry> = []
  var isUnderWay = false
  /// Whether the lane is among the ready lanes.
  var isReady = false
  /// Whether the lane is among the waiting lanes.
  var isWaiting = false
  /// The failed attempts of its first entry.
  var attempts = 0
  /// Where the lane continues by catching up; nil if the main reading feeds it.
  var readFrom: EventPosition?
  /// The position of a waiting account's latest state; nil if none waits.
  var latest: EventPosition?
  /// Whether it is recorded as being behind.
  var isNotedBehind = false
  /// The events to be sent again, loaded or not.
  var replay: ArraySlice<EventPosition> = []

  /// Whether it is recorded as being behind, although it no longer is.
  var hasCaughtUp: Bool {
    isNotedBehind && readFrom == nil && latest == nil && queue.first.map { $0.batch != nil } ?? true
  }

  /// The positions of the first and the last entry; nil if there is none.
  var ends: (first: EventPosition, last: EventPosition)? {
    guard let first = queue.first, let last = queue.last else { return nil }
    return (first.position, last.position)
  }

  /// Removes and returns the account state that a newer one replaces, unless it is under way.
  mutating func popOlderState(of lane: Lane) -> LaneEntry? {
    guard lane.kind == .account, queue.count > (isUnderWay ? 1 : 0) else { return nil }
    return queue.popLast()
  }
}
