import CivilTime
import Configuration
import Engine
import Scheduling

/// The other shards' answers about the closes of an order. A close waits until every shard with users there has counted its
/// streaks.
///
/// Without other shards, everything may close at once.
struct StreaksElsewhere: Sendable {
  /// The age, in seconds, beyond which a count is too old for a manual close.
  private static let freshSeconds: Int64 = 3_600

  /// The closes that may be made now.
  struct Answer: Sendable {
    /// The closes that were asked about.
    var asked: [DueClose] = []
    /// The closes that may be made, in order.
    var due: [DueClose] = []
    /// The streak counts of the other shards by close, including their usual counts.
    var others: [DueClose: StreakCount] = [:]
    /// The streak counts of the other shards on all days in the scope of the order.
    var all = StreakCount()
    /// Those days, here and elsewhere.
    var allDays: Set<ZoneDay> = []
    /// The shards that have not counted for a confirmed close.
    var unheard: [DueClose: [Int]] = [:]
    /// The closes that wait for other shards.
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

  /// Tells the other shards how streaks would fare in these closes, unless an earlier run has done so.
  func count(_ closes: [DueClose]) async throws {
    if shards == nil || order.closesCounted { return }
    try await runtime.publishCloses(counting: closes)
  }

  /// Returns all closes as waiting, when another round makes them after all shards have counted; otherwise nil.
  func deferred(_ closes: [DueClose]) -> [DeferredClose]? {
    guard let shards, order.countedSince != nil, !order.closesCounted else { return nil }
    return closes.map { DeferredClose(close: $0, shards: [shards.number]) }
  }

  /// Returns the other shards' current answer about these closes.
  func query(_ closes: [DueClose]) async throws -> Answer {
    guard let shards else {
      return Answer(asked: closes, due: closes, allDays: Set(closes.map(\.place)))
    }
    if closes.isEmpty { return Answer() }
    let told = try await shards.published(of: closes, since: since)
    var answer = Answer(asked: closes, all: told.usual, allDays: Set(closes.map(\.place)))
    // To judge all zones together, every shard must be known: each day that ended before counting began must have been counted.
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
    // The days of a zone are closed in order.
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

  /// Tells the other shards what is still open, and notes that the users here were polled.
  func finish(began: Instant, needsAttention: Bool) async throws {
    guard let shards else { return }
    try await runtime.publishCloses()
    if order.closesCounted { return }
    // A job of several zones counts in several runs.
    let last = try await shards.lastCounting()
    let wasBad =
      order.countedSince != nil && (last.map { $0.needsAttention && $0.at >= since } ?? false)
    try await shards.recordCounting(
      StreakCounting(at: began, needsAttention: needsAttention || wasBad))
  }

  /// Returns whether the run that counted needed attention. Throws when there was none.
  func lastCountingNeededAttention() async throws -> Bool {
    guard let shards, order.closesCounted else { return false }
    guard let counting = try await shards.lastCounting(), counting.at.seconds >= since.seconds
    else {
      throw RuntimeError(
        kind: .shards, cause: "shard \(shards.number) has not been reconciled since \(since)",
        remedy: "nothing was closed there; try again")
    }
    return counting.needsAttention
  }
}
