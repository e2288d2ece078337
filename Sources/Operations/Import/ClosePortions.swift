import CivilTime
import Engine
import Ledger

/// The part of every close of a ledger that concerns some of its users, and the requests that wait for a second person.
struct ClosePortions: PastGathering {
  /// What the closes state about these users.
  private(set) var tally = CloseTally()
  /// The ids of requests waiting for a second person.
  private(set) var waitingRequests: Set<String> = []
  /// The lines of excuses that acts withdraw, by the lines of the acts.
  private(set) var withdrawals: [UInt64: UInt64] = [:]
  /// The ids of requests that were carried out, perhaps before they were made once more.
  private var carriedOut: Set<String> = []

  mutating func add(_ record: Record, before state: LedgerState) {
    if let request = record.body.request { carriedOut.insert(request) }
    if case .excuse(let excuse) = record.body, let act = excuse.by {
      withdrawals[act] = excuse.withdraws
    }
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
    withdrawals.merge(other.withdrawals) { first, _ in first }
    tally.merge(other.tally)
  }
}
