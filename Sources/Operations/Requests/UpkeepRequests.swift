package import CivilTime
package import Described
package import LedgerStore

/// Records that an operator accepts the clock: `rewards doctor --accept-clock`.
package struct ClockRequest: Request {
  /// `doctor --accept-clock`.
  package static let name = "doctor --accept-clock"
  /// False: this request is what makes the clock right.
  package static let needsRightClock = false

  private let actor: String?

  /// Creates an acceptance by `actor`.
  package init(actor: String?) { self.actor = actor }

  /// Accepts the clock; returns what it shows.
  package func perform(at place: Place) async throws -> Instant {
    try await place.runtime.acceptClock(actor: try place.actor(actor))
  }
}

extension ClockRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    actor = try coder.optional("actor", value?.pointee.actor)
  }
}

/// Packs segments that are no longer written to: `rewards ledger compact`.
package struct CompactionRequest: Request {
  /// `ledger compact`.
  package static let name = "ledger compact"
  /// False: the lines of a segment already have their times.
  package static let needsRightClock = false

  /// The number of newest segments that stay as they are.
  package let keeping: Int

  /// Creates a compaction of all but the newest `keeping` segments.
  package init(keeping: Int) { self.keeping = keeping }

  /// Packs the segments.
  package func perform(at place: Place) async throws -> [LedgerCompaction.Packed] {
    try await place.runtime.compact(keeping: keeping)
  }
}

extension CompactionRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    keeping = try coder.field("keep", value?.pointee.keeping)
  }
}
