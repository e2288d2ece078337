import Configuration
package import Described
import Failures
import Foundations
package import Ledger
import RewardRules
import SSHSignatures
import Scheduling

/// Approves, or declines, what another person has requested: `rewards approve`.
package struct ApprovalRequest: Request {
  /// `approve`.
  package static let name = "approve"

  /// The request's id.
  package let id: String
  /// Why it is declined; nil to approve it.
  package let declining: String?
  private let actor: String?
  /// The content of a `.sig` file; empty where the account says who approves.
  package var input: [UInt8]

  /// Creates the approval of a request, or, with a reason to decline it, the refusal.
  package init(of id: String, declining: String?, signature: [UInt8], actor: String?) {
    self.id = id
    self.declining = declining
    self.actor = actor
    input = signature
  }

  /// The result.
  package struct Report: Sendable {
    /// What became of a request.
    package enum Outcome: String, Sendable {
      /// Nobody had requested it, so it is now the caller's request, and another person must approve it.
      case requested
      /// Two people agree: whoever wants it repeats the command.
      case approved
      /// Two people agree, and it is in use.
      case used
      /// It waits no longer.
      case declined
    }

    /// The request before.
    package let mark: RequestMark
    /// What became of it.
    package let outcome: Outcome
    /// Who approved or declined it.
    package let actor: String
  }

  /// Records the approval or refusal, and puts into use what the configuration proposes; throws if the caller may not approve it.
  package func perform(at place: Place) async throws -> Report {
    let runtime = place.runtime
    try runtime.requireConfirmedClock()
    let state = await runtime.writer.read { $0.ledger }
    guard let mark = state.requests.all[id] else {
      throw Failure(
        .badData, "nobody has requested this", place: id,
        remedy: "rewards approvals lists the requests.")
    }
    let signature = input.isEmpty ? nil : String(decoding: input, as: UTF8.self)
    let actor =
      try signature.map {
        try state.signer(of: mark, id, $0, at: max(runtime.clock.now(), state.at))
      }
      ?? place.actor(actor)
    if let declining {
      let reason = try Reason.check(declining)
      try await runtime.secondActor.decline(id, reason: reason, by: actor)
      return Report(mark: mark, outcome: .declined, actor: actor)
    }
    if BigAct.isConfigured(mark) { try await requireConfigured(runtime, state) }
    let isAgreed = try await runtime.secondActor.approve(
      BigAct(what: mark.what, reason: mark.reason), id, by: actor, signature: signature)
    if isAgreed, BigAct.isConfigured(mark) { try await runtime.proposeConfigured(by: actor) }
    let after = await runtime.writer.read { $0.ledger.requests.all[id] } ?? mark
    return Report(
      mark: mark, outcome: after.isUsed ? .used : isAgreed ? .approved : .requested,
      actor: after.approver ?? actor)
  }

  /// Throws unless the configuration still proposes it, and it can come into use: an approval of anything else would wait for ever.
  private func requireConfigured(_ runtime: Runtime, _ state: LedgerState) async throws {
    if BigAct.limits(runtime.configuration.approval).id == id { return }
    if BigAct.sources(runtime.configuration.sources.map(\.terms)).id == id { return }
    if let signers = try await runtime.configuration.readSigners(), BigAct.signers(signers).id == id
    {
      return
    }
    let documents = try await runtime.loadRules()
    guard documents.contains(where: { BigAct.rules($0).id == id }) else {
      throw Failure(
        .usage, "the configuration has changed since", place: id,
        remedy: "Decline it with --decline REASON; rewards approvals lists what else waits.")
    }
    let coming = documents.filter {
      BigAct.rules($0).id == id || RulesUse.excess(of: $0, in: state) == nil
    }
    _ = try RulesUse.fresh(of: coming, in: state)
  }
}

extension ApprovalRequest {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    id = try coder.field("id", value?.pointee.id)
    declining = try coder.optional("declining", value?.pointee.declining)
    actor = try coder.optional("actor", value?.pointee.actor)
    input = []
  }
}
