package import CivilTime
package import Described

/// Brings the ledger up to date: `rewards reconcile`.
package struct ReconcileRequest: Request {
  /// `reconcile`.
  package static let name = "reconcile"

  private let day: Day?
  private let zones: [String]
  private let users: [String]
  private let proves: Bool
  private let isConfirmed: Bool
  private let actor: String?
  /// The round, with several ledgers; nil with one.
  package let round: CountingRound?

  /// Creates a reconciliation through `day`, or of every day that has ended. Empty `zones` and `users` mean all. `round` is nil
  /// with a single ledger.
  package init(
    upTo day: Day?, zones: [String], users: [String], proves: Bool, isConfirmed: Bool,
    actor: String?, round: CountingRound?
  ) {
    self.day = day
    self.zones = zones
    self.users = users
    self.proves = proves
    self.isConfirmed = isConfirmed
    self.actor = actor
    self.round = round
  }

  /// Polls, judges, grants and closes.
  package func perform(at place: Place) async throws -> ReconcileReport {
    let runtime = place.runtime
    try round?.check(runtime)
    let zones = try zones.map { try runtime.environment.zones.zone(named: $0).name }
    let order = ReconcileOrder(
      day: day, zones: Set(zones), users: users, proves: proves, isConfirmed: isConfirmed,
      closesCounted: round?.isSecond ?? false, countedSince: round?.since,
      actor: isConfirmed ? try place.actor(actor) : nil)
    return try await Reconciliation(runtime, order, progress: place.progress).run()
  }
}

extension ReconcileRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    day = try coder.optional("day", value?.pointee.day)
    zones = try coder.field("zones", value?.pointee.zones)
    users = try coder.field("users", value?.pointee.users)
    proves = try coder.field("prove", value?.pointee.proves)
    isConfirmed = try coder.field("confirm", value?.pointee.isConfirmed)
    actor = try coder.optional("actor", value?.pointee.actor)
    round = try coder.optional("round", value?.pointee.round)
  }
}
