package import CivilTime
import Engine
package import Ledger
import RewardRules

/// An act beyond what one person may do alone, in words. Nothing was done.
package struct HandExcess: Error, Sendable {
  /// What passes which limit.
  package let text: String

  /// Creates the error.
  package init(text: String) { self.text = text }
}

/// Requires two people for an act too big for one. Requests and approvals are recorded in the ledger.
package struct SecondActor: Sendable {
  private let writer: LedgerWriter

  /// Creates the two-person rule for this writer's ledger.
  package init(_ writer: LedgerWriter) { self.writer = writer }

  /// Does an act with `body`, which gets the id of the request that two people agreed on; nil if there is none, and then `body` throws
  /// ``HandExcess`` if the act takes two. `actor` approves by `id` what another person requested.
  ///
  /// Records a missing request and throws ``Problem``. An approval counts until the act is done: an act repeated after a crash needs
  /// no other.
  package func carryOut<Result: Sendable>(
    _ act: BigAct, approving id: String?, actor: String,
    _ body: (_ request: String?) async throws -> Result
  ) async throws -> Result {
    if let id { try await approve(act, id, by: actor) }
    let isAgreed = await writer.read { $0.ledger.isAgreed(act) }
    do {
      return try await body(isAgreed ? act.id : nil)
    } catch let excess as HandExcess {
      throw try await wait(for: act, excess.text, actor)
    }
  }

  /// Carries out an act that always takes two people, once for each request. Returns false when it has been done before, and then appends
  /// nothing.
  package func perform(
    _ act: BigAct, named name: String, _ record: OperatorRecord, approving id: String?,
    actor: String
  ) async throws -> Bool {
    if let id {
      if id != act.id { throw Problem.otherAct(given: id, id: act.id) }
      if await writer.read({ act.isDone(in: $0.ledger) }) { return false }
    }
    return try await carryOut(act, approving: id, actor: actor) { request in
      guard let request else { throw HandExcess(text: name) }
      return try await writer.change(.all) { state in
        guard state.ledger.isAgreed(act) else {
          return LedgerWriter.Proposal([]) { _, _ in false }
        }
        var record = record
        record.request = request
        return LedgerWriter.Proposal([Draft([.operator(record)])]) { _, _ in true }
      }
    }
  }

  /// Records the approval of an act that is not carried out yet, unless two people agree on it already. Makes a request of nobody that of
  /// `actor` instead. `signature` is the `.sig` file by which the actor is known. Returns whether two people agree on it now.
  @discardableResult
  package func approve(
    _ act: BigAct, _ id: String, by actor: String, signature: String? = nil
  ) async throws -> Bool {
    if id != act.id { throw Problem.otherAct(given: id, id: act.id) }
    return try await writer.change(.all) { state in
      let ledger = state.ledger
      if ledger.isAgreed(act) { return LedgerWriter.Proposal([]) { _, _ in true } }
      let isFirst = act.isOpen(to: actor, signature: signature, in: ledger)
      if !isFirst, let objection = act.objection(to: actor, signature: signature, in: ledger) {
        throw objection
      }
      let record = act.record(isFirst ? .request : .approve, by: actor, signature: signature)
      return LedgerWriter.Proposal([Draft([record])]) { _, _ in !isFirst }
    }
  }

  /// Records that `actor` declines a request, which then waits no longer; throws if it does not wait.
  package func decline(_ id: String, reason: String, by actor: String) async throws {
    try await writer.change(.all) { state in
      guard state.ledger.requests.all[id]?.isWaiting == true else {
        throw Problem.notRequested(id: id)
      }
      let record = OperatorRecord(act: .decline, subject: id, reason: reason, actor: actor)
      return LedgerWriter.Proposal([Draft([.operator(record)])]) { _, _ in }
    }
  }

  /// Records the request, unless it stands already, and returns the problem that it waits.
  private func wait(for act: BigAct, _ excess: String, _ actor: String) async throws -> Problem {
    try await writer.change(.all) { state in
      let known = act.request(standingFor: actor, in: state.ledger)
      let (asked, by) = (known?.actor ?? actor, state.ledger.handLimits.by)
      let drafts = known == nil ? [Draft([act.record(.request, by: actor)])] : []
      return LedgerWriter.Proposal(drafts) { _, _ in
        .waiting(id: act.id, excess: excess, asked: asked, by: by)
      }
    }
  }
}

extension LedgerState {
  /// What one person may give alone.
  package var handLimits: HandLimits { limits ?? HandLimits() }

  /// Returns whether two people agreed on an act that is not carried out yet, by what counts as a person now.
  package func isAgreed(_ act: BigAct) -> Bool {
    requests.all[act.id].map { act.isRequested(by: $0) && isAgreed($0) } ?? false
  }

  /// Returns whether two people agreed on a request that is not carried out yet.
  package func isAgreed(_ mark: RequestMark) -> Bool {
    !mark.isUsed && !mark.isDeclined && mark.isOfTwoPeople(handLimits)
  }

  /// Returns what would pass the limits of a month, in words; nil if nothing would. At `instant`, `actor` would give `user` these sums,
  /// and users `all` of them, alone.
  package func excess(
    ofMonth sums: DayCredits.Sums, to user: String, all: DayCredits.Sums, by actor: String,
    at instant: Instant
  ) -> String? {
    let limits = handLimits
    let theirs = account(of: user)?.hand.given(at: instant) ?? [:]
    let before = hands.given(by: limits.person(actor), at: instant)
    return limits.excess(ofMonth: theirs.adding(sums), adding: sums, to: user)
      ?? limits.excess(ofMonth: before.adding(all), adding: sums, to: nil)
  }
}
