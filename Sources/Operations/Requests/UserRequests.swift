import CheerAPI
import Configuration
package import Described
import Failures
import Foundations
package import Scheduling

/// Imports a roster into the ledger: `rewards users import`.
package struct RosterRequest: Request {
  /// `users import`.
  package static let name = "users import"

  /// The path of the roster's file, as the caller knows it.
  package let file: String
  private let actor: String?
  private let approving: String?
  /// The lines.
  package var input: [UInt8]

  /// Creates an import of the roster in `input`, from `file`. `approving` is the id of another person's request that it fulfils.
  package init(_ input: [UInt8], of file: String, actor: String?, approving: String?) {
    self.input = input
    self.file = file
    self.actor = actor
    self.approving = approving
  }

  /// Records the differences.
  package func perform(at place: Place) async throws -> RosterImport.Result {
    let runtime = place.runtime
    try runtime.requireConfirmedClock()
    var roster = RosterFile(input, of: { runtime.configuration.holds($0) })
    let named = try APIAccess.apiUsers(runtime.configuration)
    // The ledger does not hold them, so whoever polls looks in the roster's own file.
    let file = runtime.configuration.users
    roster.refuse { entry in
      let its = named[entry.user]
      // Whoever was forgotten is refused for that.
      let isForgotten = runtime.forgotten.withLock { $0.contains(entry.user) }
      if entry.apiUser == its || isForgotten { return nil }
      let what = its == nil ? "no" : entry.apiUser == nil ? "an" : "another"
      return
        "user \(entry.user): \(file) has \(what) \"apiUser\" for this user, which is read only there; make the two the same"
    }
    runtime.api?.api.setAPIUsers(named)
    let receipt = try await RosterImport(runtime.writer).run(
      roster,
      defaultZone: runtime.configuration.defaultTimeZone, revives: true,
      by: try place.actor(actor), approving: approving)
    // Days may now be open here that were not before.
    try await runtime.publishCloses()
    return receipt
  }
}

extension RosterRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    file = try coder.field("file", value?.pointee.file)
    actor = try coder.optional("actor", value?.pointee.actor)
    approving = try coder.optional("approving", value?.pointee.approving)
    input = []
  }
}

/// Forgets a user: `rewards users forget`.
package struct ForgetRequest: Request {
  /// `users forget`.
  package static let name = "users forget"

  /// The user's id.
  package let user: String
  private let reason: String
  private let actor: String?

  /// Creates an act that forgets a user.
  package init(_ user: String, reason: String, actor: String?) {
    self.user = user
    self.reason = reason
    self.actor = actor
  }

  /// Records the act and deletes what is kept beside the ledger; throws when the ledger has no such user.
  package func perform(at place: Place) async throws -> UserForgetting.Report {
    try await UserForgetting(place.runtime).forget(
      user, reason: try Reason.check(reason), by: try place.actor(actor))
  }
}

extension ForgetRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    reason = try coder.field("reason", value?.pointee.reason)
    actor = try coder.optional("actor", value?.pointee.actor)
  }
}

/// Removes a user: `rewards users remove`.
package struct RemovalRequest: Request {
  /// `users remove`.
  package static let name = "users remove"

  /// The user's id.
  package let user: String
  private let reason: String?
  private let actor: String?

  /// Creates a removal of a user.
  package init(of user: String, reason: String? = nil, actor: String? = nil) {
    self.user = user
    self.reason = reason
    self.actor = actor
  }

  /// Records the removal; throws when the ledger has no such user.
  package func perform(at place: Place) async throws {
    let wasThere = try await UserRemoval(place.runtime).remove(
      user, reason: try Reason.check(reason ?? "not in the roster any more"),
      by: try place.actor(actor))
    if !wasThere { throw Failure.noMember(user) }
  }
}

extension RemovalRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    reason = try coder.optional("reason", value?.pointee.reason)
    actor = try coder.optional("actor", value?.pointee.actor)
  }
}
