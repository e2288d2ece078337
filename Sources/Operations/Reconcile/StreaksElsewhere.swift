import CivilTime
import Configuration
import Scheduling

/// What the other shards say to the closes of an order: none is made before all that have users there have counted their streaks.
///
/// Everything is as if there were no others where there are none.
struct StreaksElsewhere: Sendable {
  /// A count from longer ago says nothing of a close that is asked for by hand, in seconds.
  private static let freshSeconds: Int64 = 3_600

  /// What may be done now.
  struct Answer: Sendable {
    /// The closes that may be made, in order.
    var due: [DueClose] = []
    /// How streaks fare elsewhere, by close, with what is usual.
    var others: [DueClose: StreakCount] = [:]
    /// The same on all days that the order is about.
    var all = StreakCount()
    /// How many days these are.
    var allDays: Set<ZoneDay> = []
    /// The shards of which a close that is confirmed knows nothing.
    var unheard: [DueClose: [Int]] = [:]
    /// The closes that wait for others.
    var deferred: [DeferredClose] = []
  }

  private let runtime: Runtime
  private let order: ReconcileOrder
  private let since: Instant
  private var shards: (any SharedCloses)? { runtime.environment.sharedCloses }

  init(_ runtime: Runtime, _ order: ReconcileOrder, began: Instant) {
    (self.runtime, self.order) = (runtime, order)
    let nominal = order.whenDelayed == nil ? nil : order.run.nominal
    since = min(
      order.countedSince ?? nominal ?? began.adding(seconds: -Self.freshSeconds), began)
  }

  /// Tells the others how streaks would fare in these closes; not where that was done by an earlier run.
  func count(_ closes: [DueClose]) async throws {
    guard let shards, !order.closesCounted else { return }
    try await shards.tell(await runtime.closer.report(counting: closes))
  }

  /// What the others say to these closes by now.
  func ask(_ closes: [DueClose]) async throws -> Answer {
    guard let shards else {
      return Answer(due: closes, allDays: Set(closes.map(\.place)))
    }
    if closes.isEmpty { return Answer() }
    let told = try await shards.told(of: closes, since: since)
    var answer = Answer()
    // Days of a zone are closed in order.
    var blocked: Set<String> = []
    for close in closes {
      let missing = told.missing[close] ?? []
      if order.isConfirmed {
        answer.unheard[close] = missing.filter { $0 != shards.number }
      } else if !missing.isEmpty {
        blocked.insert(close.zone)
        answer.deferred.append(DeferredClose(close: close, shards: missing))
      }
      if blocked.contains(close.zone) { continue }
      answer.due.append(close)
      answer.others[close] = (told.others[close] ?? StreakCount()) + told.usual
    }
    answer.allDays = Set(answer.due.map(\.place))
    for (place, count) in told.open where isWanted(place) {
      answer.all += count
      answer.allDays.insert(place)
    }
    answer.all += told.usual
    return answer
  }

  private func isWanted(_ place: ZoneDay) -> Bool {
    (order.zones.isEmpty || order.zones.contains(place.zone))
      && order.day.map { place.day <= $0 } ?? true
  }

  /// Tells the others what is still open, and notes that the users here were looked at.
  func finish(began: Instant, needsAttention: Bool) async throws {
    guard let shards else { return }
    try await shards.tell(await runtime.closer.report(counting: []))
    if !order.closesCounted {
      try await shards.noteCounting(StreakCounting(at: began, needsAttention: needsAttention))
    }
  }

  /// Whether the run that has counted found what needs attention. Throws where there was none.
  func attentionOfCounting() async throws -> Bool {
    guard let shards, order.closesCounted else { return false }
    guard let counting = try await shards.lastCounting(), counting.at.seconds >= since.seconds
    else {
      throw RuntimeError(
        kind: .shards, cause: "shard \(shards.number) was not reconciled since \(since)",
        remedy: "nothing was closed there; try again")
    }
    return counting.needsAttention
  }
}
