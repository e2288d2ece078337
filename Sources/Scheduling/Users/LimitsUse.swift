import Engine
package import Ledger

/// Sets what one person may give alone, whose signatures count, and which programs may hand in inbox lines. The configuration proposes it, and
/// the ledger decides.
package struct LimitsUse: Sendable {
  private let writer: LedgerWriter

  /// Creates the act for this writer's ledger.
  package init(_ writer: LedgerWriter) { self.writer = writer }

  /// Records these limits if the ledger has others: at once where it has no users yet, or where they allow nothing more. Otherwise
  /// requests them, by nobody, unless somebody declined that; returns the id of the request that waits for two people, nil if none does.
  package func propose(_ limits: HandLimits, by actor: String) async throws -> String? {
    var record = OperatorRecord(
      act: .limits, subject: "approval", what: "\(limits)", reason: BigAct.limits(limits).reason,
      actor: actor)
    record.limits = limits
    return try await propose(.limits(limits), record) { ledger in
      if limits == ledger.handLimits { return nil }
      return !limits.allowMore(than: ledger.handLimits)
    }
  }

  /// Records these signers, an `allowed_signers` file, if the ledger has others: at once where it has no users yet. Otherwise requests
  /// them, as ``propose(_:by:)`` does.
  package func propose(signers: String, by actor: String) async throws -> String? {
    let act = BigAct.signers(signers)
    var record = OperatorRecord(
      act: .signers, subject: "approval", what: act.what, reason: act.reason, actor: actor)
    record.signers = signers
    return try await propose(act, record) { $0.signers == signers ? nil : false }
  }

  /// Records these programs, if the ledger has others, as ``propose(_:by:)`` does. What they may no longer hand in counts at once, whatever
  /// else waits.
  package func propose(_ sources: [InboxSource], by actor: String) async throws -> String? {
    let known = await writer.read { $0.ledger.sources ?? [] }
    _ = try await set(sources.restricted(to: known), by: actor)
    return try await set(sources, by: actor)
  }

  private func set(_ sources: [InboxSource], by actor: String) async throws -> String? {
    let act = BigAct.sources(sources)
    var record = OperatorRecord(
      act: .sources, subject: "sources", what: act.what, reason: act.reason, actor: actor)
    record.sources = sources
    return try await propose(act, record) { ledger in
      let known = ledger.sources ?? []
      return sources == known ? nil : !sources.allowMore(than: known)
    }
  }

  /// Records an act unless it takes two people, who have not agreed on it; then requests it. `mayBeDoneAlone` returns whether one person is
  /// enough where the ledger has users, nil if there is nothing to do.
  private func propose(
    _ act: BigAct, _ record: OperatorRecord,
    alone mayBeDoneAlone: @escaping @Sendable (LedgerState) -> Bool?
  ) async throws -> String? {
    try await writer.change(.all) { state in
      let ledger = state.ledger
      guard let isSmall = mayBeDoneAlone(ledger) else {
        return LedgerWriter.Proposal([]) { _, _ in nil }
      }
      let isAgreed = ledger.isAgreed(act)
      if isAgreed || isSmall || ledger.accounts.isEmpty {
        var record = record
        if isAgreed { record.request = act.id }
        return LedgerWriter.Proposal([Draft([.operator(record)])]) { _, _ in nil }
      }
      let (request, waits) = act.proposal(in: ledger)
      return LedgerWriter.Proposal(request.map { [Draft([$0])] } ?? []) { _, _ in
        waits ? act.id : nil
      }
    }
  }
}
