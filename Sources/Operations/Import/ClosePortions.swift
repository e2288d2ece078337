import CivilTime
import Engine
import Ledger

/// The part of every close of a ledger that concerns some of its users, and the requests that wait for a second person.
struct ClosePortions: PastGathering {
  /// What the closes state about these users.
  private(set) var tally = CloseTally()
  /// The ids of requests waiting for a second person.
  private(set) var waitingRequests: Set<String> = []
  /// The ids of requests that were carried out, perhaps before they were made once more.
  private var carriedOut: Set<String> = []

  mutating func add(_ record: Record, before state: LedgerState) {
    if let request = record.body.request { carriedOut.insert(request) }
    tally.add(record, before: state)
  }

  mutating func examine(_ timeline: Timeline) {
    guard let history = timeline.history else { return }
    tally.add(timeline.evaluate(.closed, cutoff: .whatTheCloseKnew).days, of: history)
  }

  mutating func finish(_ state: LedgerState) {
    waitingRequests = Set(state.requests.waiting.map(\.id)).subtracting(carriedOut)
  }

  mutating func merge(_ other: ClosePortions) {
    carriedOut.formUnion(other.carriedOut)
    tally.merge(other.tally)
  }
}
