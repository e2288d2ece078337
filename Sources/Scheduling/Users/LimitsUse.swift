import Engine
package import Ledger

/// Sets what one person may give alone. The configuration proposes it, and the ledger decides.
package struct LimitsUse: Sendable {
  private let writer: LedgerWriter

  /// Creates the act for this writer's ledger.
  package init(_ writer: LedgerWriter) { self.writer = writer }

  /// Records these limits if the ledger has others: at once where it has no users yet, or where they allow nothing more. Otherwise
  /// requests them; returns the id of the request that waits for a second person, nil if none does.
  package func propose(_ limits: HandLimits, by actor: String) async throws -> String? {
    try await writer.change(.all) { state in
      let (ledger, act) = (state.ledger, BigAct.limits(limits))
      var bodies: [RecordBody] = []
      var waiting: String?
      if limits != ledger.handLimits {
        let request = ledger.requests.isAgreed(act.id) ? act.id : nil
        if request != nil || ledger.accounts.isEmpty
          || !limits.allowMore(than: ledger.handLimits)
        {
          bodies.append(Self.record(limits, by: actor, request))
        } else {
          waiting = act.id
          if act.request(standingFor: actor, in: ledger) == nil {
            bodies.append(.operator(SecondActor.request(act, actor)))
          }
        }
      }
      return LedgerWriter.Proposal([Draft(bodies)]) { [waiting] _, _ in waiting }
    }
  }

  /// Returns the record that sets `limits`.
  private static func record(
    _ limits: HandLimits, by actor: String, _ request: String?
  ) -> RecordBody {
    let act = BigAct.limits(limits)
    var record = OperatorRecord(
      act: .limits, subject: "approval", what: "\(limits)", reason: act.reason, actor: actor)
    record.limits = limits
    record.request = request
    return .operator(record)
  }
}
