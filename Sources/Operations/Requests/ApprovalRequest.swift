import Configuration
package import Described
import Failures
import Foundations
package import Ledger
import RewardRules
import Scheduling

/// Approves a request of another person that says all that is needed to carry it out: `rewards approve`.
package struct ApprovalRequest: Request {
  /// `approve`.
  package static let name = "approve"

  /// The request's id.
  package let id: String
  private let actor: String?

  /// Creates the approval of a request.
  package init(of id: String, actor: String?) {
    self.id = id
    self.actor = actor
  }

  /// Carries the request out; throws if it takes the command that it came from, or if the caller may not approve it.
  package func perform(at place: Place) async throws -> RequestMark {
    let runtime = place.runtime
    try runtime.requireConfirmedClock()
    let actor = try place.actor(actor)
    let mark = await runtime.writer.read { $0.ledger.requests.all[id] }
    guard let mark else {
      throw Failure(
        .badData, "nobody has requested this", place: id,
        remedy: "rewards approvals lists the requests.")
    }
    let configuration = runtime.configuration
    let documents = try await BlockingThread(named: "rewards.rules").run {
      try RulesFiles.load(configuration).map(\.document)
    }
    let acts = [BigAct.limits(configuration.approval)] + documents.map { BigAct.rules($0) }
    guard let act = acts.first(where: { $0.id == id }) else {
      throw Failure(
        .usage, "this takes more than its id, or the configuration has changed since", place: id,
        remedy: "rewards approvals shows the command that approves it.")
    }
    // An approval of what cannot come into use any more would wait for ever.
    let state = await runtime.writer.read { $0.ledger }
    _ = try RulesUse.fresh(of: documents, in: state)
    try await runtime.secondActor.approve(act, id, by: actor)
    try await runtime.propose(documents, by: actor)
    return mark
  }
}

extension ApprovalRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    id = try coder.field("id", value?.pointee.id)
    actor = try coder.optional("actor", value?.pointee.actor)
  }
}
