import CivilTime
import Configuration
import Engine
import Scheduling

/// What the other shards say to the closes of an order: none is made before all that have users there have counted their streaks.
///
/// Everything is as if there were no others where there are none.
struct StreaksElsewhere: Sendable {
  /// A count from longer ago says nothing of a close that is asked for by hand, in seconds.
  private static let freshSeconds: Int64 = 3_600

  /// What may be done now.
  struct Answer: Sendable {
    /// The closes that were asked about.
    var asked: [DueClose] = []
    /// Those that may be made, in order.
    var due: [DueClose] = []
    /// How streaks fare elsewhere, by close, with what is usual.
    var others: [DueClose: StreakCount] = [:]
    /// The same on all days that the order is about.
    var all = StreakCount()
    /// These days, here and elsewhere.
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
    if shards == nil || order.closesCounted { return }
    try await runtime.tellShards(counting: closes)
  }

  /// The closes wait until all shards have counted: another round makes them.
  func deferred(_ closes: [DueClose]) -> [DeferredClose]? {
    guard let shards, order.countedSince != nil, !order.closesCounted else { return nil }
    return closes.map { DeferredClose(close: $0, shards: [shards.number]) }
  }

  /// What the others say to these closes by now.
  func ask(_ closes: [DueClose]) async throws -> Answer {
    guard let shards else {
      return Answer(asked: closes, due: closes, allDays: Set(closes.map(\.place)))
    }
    if closes.isEmpty { return Answer() }
    let told = try await shards.told(of: closes, since: since)
    var answer = Answer(asked: closes, all: told.usual, allDays: Set(closes.map(\.place)))
    // Who judges all zones together must know them all: what ended before counts began to be taken is counted somewhere, or will be.
    let lag = await runtime.writer.read { $0.terms.lagSeconds }
    let isAboutAll = order.zones.isEmpty && !order.isConfirmed
    var absent: Set<Int> = []
    for other in told.open where isWanted(other.place) {
      answer.allDays.insert(other.place)
      if other.isCounted {
        answer.all += other.count
      } else if isAboutAll, other.end.adding(seconds: lag) <= since {
        absent.insert(other.shard)
      }
    }
    // Days of a zone are closed in order.
    var blocked: Set<String> = []
    for close in closes {
      let missing = absent.union(told.missing[close] ?? []).sorted()
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
    return answer
  }

  private func isWanted(_ place: ZoneDay) -> Bool {
    order.isAbout(place.zone) && order.day.map { place.day <= $0 } ?? true
  }

  /// Tells the others what is still open, and notes that the users here were looked at.
  func finish(began: Instant, needsAttention: Bool) async throws {
    guard let shards else { return }
    try await runtime.tellShards()
    if order.closesCounted { return }
    // A job of several zones counts in several runs.
    let last = try await shards.lastCounting()
    let wasBad =
      order.countedSince != nil && (last.map { $0.needsAttention && $0.at >= since } ?? false)
    try await shards.noteCounting(
      StreakCounting(at: began, needsAttention: needsAttention || wasBad))
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
