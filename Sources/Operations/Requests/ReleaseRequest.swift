package import Described
import Failures
package import Scheduling

/// Releases a grant that a limit holds back: `rewards release`.
package struct ReleaseRequest: Request {
  /// `release`.
  package static let name = "release"

  private let key: String
  private let reason: String
  private let actor: String?
  private let approving: String?

  /// Creates a release of the grant under `key`.
  package init(of key: String, reason: String, actor: String?, approving: String?) {
    self.key = key
    self.reason = reason
    self.actor = actor
    self.approving = approving
  }

  /// The result of a release.
  package struct Report: Sendable {
    /// The grant's key.
    package let key: String
    /// The records appended; none when it was released before.
    package let counts: AppendCounts
  }

  /// Appends the release and its consequences.
  package func perform(at place: Place) async throws -> Report {
    let runtime = place.runtime
    do {
      let reason = try Reason.check(reason)
      let actor = try place.actor(actor)
      let counts = try await Release(runtime).release(
        key, reason: reason, actor: actor, approving: approving)
      return Report(key: key, counts: counts)
    } catch let refusal as BackfillApplication.Refusal {
      throw refusal.failure.placed(at: key)
    }
  }
}

extension ReleaseRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    key = try coder.field("key", value?.pointee.key)
    reason = try coder.field("reason", value?.pointee.reason)
    actor = try coder.optional("actor", value?.pointee.actor)
    approving = try coder.optional("approving", value?.pointee.approving)
  }
}
