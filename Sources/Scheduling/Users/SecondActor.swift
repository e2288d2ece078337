import CivilTime
import Engine
package import Failures
package import Ledger
package import RewardRules

/// An act beyond what one person may do alone, in words. Nothing was done.
package struct HandExcess: Error, Sendable {
  /// What passes which limit.
  package let text: String

  /// Creates the error.
  package init(text: String) { self.text = text }
}

/// Requires two people for an act too big for one. Requests and approvals are recorded in the ledger.
package struct SecondActor: Sendable {
  /// The reason why an act is not done now. If a request was needed, the ledger holds it.
  package enum Problem: Error, Sendable, Equatable {
    /// It exceeds the limits and waits under this id for somebody other than `asked`.
    case waiting(id: String, excess: String, asked: String, by: HandLimits.Person)
    /// The person who requested it cannot approve it.
    case sameActor(id: String, asked: String, actor: String, by: HandLimits.Person)
    /// There is no request with this id that has not been carried out.
    case notRequested(id: String)
    /// The id belongs to a different act.
    case otherAct(given: String, id: String)
  }

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
    let isAgreed = await writer.read { $0.ledger.isAgreed(act.id) }
    do {
      return try await body(isAgreed ? act.id : nil)
    } catch let excess as HandExcess {
      throw try await wait(for: act, excess.text, actor)
    }
  }

  /// Returns if an act that gives or takes `amounts` may be done now: it is within the limits, or two people agree on it; see
  /// ``carryOut(_:approving:actor:_:)``.
  package func admit(
    _ act: BigAct, _ amounts: Amounts, approving id: String?, actor: String
  ) async throws {
    let limits = await writer.read { $0.ledger.handLimits }
    guard let excess = limits.excess(of: amounts) else { return }
    try await carryOut(act, approving: id, actor: actor) { request in
      if request == nil { throw HandExcess(text: excess) }
    }
  }

  /// Carries out an act that always takes two people: the approval and `record` share a seal, so it is done once for each request. Returns
  /// false when another approval has done it before, and then appends nothing.
  ///
  /// Without `id` records the request, and throws like ``admit(_:_:approving:actor:)``.
  package func perform(
    _ act: BigAct, named name: String, _ record: OperatorRecord, approving id: String?,
    actor: String
  ) async throws -> Bool {
    if let id, id != act.id { throw Problem.otherAct(given: id, id: act.id) }
    guard id != nil else { throw try await wait(for: act, name, actor) }
    return try await writer.change(.all) { state in
      if let objection = act.objection(to: actor, in: state.ledger) { throw objection }
      if state.ledger.requests.all[act.id]?.approver != nil {
        return LedgerWriter.Proposal([]) { _, _ in false }
      }
      var record = record
      record.request = act.id
      let drafts = [
        Draft([.operator(Self.approval(of: act, by: actor)), .operator(record)])
      ]
      return LedgerWriter.Proposal(drafts) { _, _ in true }
    }
  }

  /// Records the approval of a request unless it has one and is still to be carried out.
  package func approve(_ act: BigAct, _ id: String, by actor: String) async throws {
    if id != act.id { throw Problem.otherAct(given: id, id: act.id) }
    try await writer.change(.all) { state in
      if state.ledger.requests.all[id]?.isUsed == true { throw Problem.notRequested(id: id) }
      if let objection = act.objection(to: actor, in: state.ledger) { throw objection }
      let drafts =
        state.ledger.isAgreed(id) ? [] : [Draft([.operator(Self.approval(of: act, by: actor))])]
      return LedgerWriter.Proposal(drafts) { _, _ in }
    }
  }

  /// Records the request and returns the problem that it waits.
  private func wait(for act: BigAct, _ excess: String, _ actor: String) async throws -> Problem {
    let (asked, by) = try await request(act, by: actor)
    return .waiting(id: act.id, excess: excess, asked: asked, by: by)
  }

  /// Records a request unless it stands already; returns who made it, and who counts as a person.
  private func request(
    _ act: BigAct, by actor: String
  ) async throws -> (asked: String, by: HandLimits.Person) {
    try await writer.change(.all) { state in
      let (known, by) = (
        act.request(standingFor: actor, in: state.ledger), state.ledger.handLimits.by
      )
      let drafts = known == nil ? [Draft([.operator(Self.request(act, actor))])] : []
      return LedgerWriter.Proposal(drafts) { _, _ in (known?.actor ?? actor, by) }
    }
  }

  private static func approval(of act: BigAct, by actor: String) -> OperatorRecord {
    OperatorRecord(
      act: .approve, subject: act.id, what: act.what, reason: act.reason, actor: actor)
  }

  /// Returns the record that requests `act`.
  static func request(_ act: BigAct, _ actor: String) -> OperatorRecord {
    OperatorRecord(
      act: .request, subject: act.id, what: act.what, reason: act.reason, actor: actor)
  }
}

extension LedgerState {
  /// What one person may give alone.
  package var handLimits: HandLimits { limits ?? HandLimits() }

  /// Returns whether two people agreed on a request that is not carried out yet, by what counts as a person now.
  package func isAgreed(_ id: String) -> Bool {
    guard requests.isAgreed(id), let mark = requests.all[id] else { return false }
    return BigAct.isOfTwoPeople(mark, handLimits)
  }

  /// Returns what would pass the limits of a month, in words; nil if nothing would. At `instant`, `actor` would give `user` these sums,
  /// and users `all` of them, alone.
  func excess(
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

extension SecondActor {
  /// Returns who may approve a request, in words.
  package static func approvers(of request: RequestMark, by: HandLimits.Person) -> String {
    if BigAct.isRequestedBySource(request) { return "any person" }
    if BigAct.isRequestedByDoor(request) {
      return
        "two persons, because the inbox is nobody: one hands it in with rewards ingest, another with --approve"
    }
    return approvers(ofRequestBy: request.actor, by)
  }

  /// Returns who may approve what `actor` has asked for, in words.
  fileprivate static func approvers(
    ofRequestBy actor: String, _ by: HandLimits.Person
  ) -> String {
    let named = named(actor)
    if by == .account { return "another account than \(named?.account ?? actor)" }
    return named.map { "another account than \($0.account), or another --actor than \($0.name)" }
      ?? "another account than \(actor), unless the request is repeated with --actor NAME"
  }

  /// Returns the name and the account of an actor; nil where no name was given.
  package static func named(_ actor: String) -> (name: String, account: String)? {
    HandLimits.account(of: actor).map { account in
      (String(actor.dropLast(" (account \(account))".count)), account)
    }
  }
}

extension SecondActor.Problem: CustomStringConvertible {
  /// The cause and the remedy on one line.
  package var description: String { "\(cause); \(remedy)" }

  /// Why the act is not done.
  package var cause: String {
    switch self {
    case .waiting(_, let excess, _, _): "\(excess) needs a second person"
    case .sameActor(let id, let asked, let actor, _):
      asked == actor
        ? "\(actor) requested \(id), and cannot approve it too"
        : "\(asked) requested \(id), and \(actor) may be the same person"
    case .notRequested(let id): "nobody has requested \(id)"
    case .otherAct(let given, let id): "\(given) is the id of another act; this one is \(id)"
    }
  }

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .waiting(let id, _, BigAct.inboxDoor, _):
      "the request is recorded as \(id): one person hands it in with rewards ingest, and another with --approve \(id)"
    case .waiting(let id, _, let asked, let by):
      "the request is recorded as \(id): a second person repeats it with --approve \(id)"
        + (by == .account || SecondActor.named(asked) == nil
          ? "; that takes \(SecondActor.approvers(ofRequestBy: asked, by))" : "")
    case .sameActor(_, let asked, let actor, let by):
      if by == .account {
        "approval takes \(SecondActor.approvers(ofRequestBy: asked, by)); names given with --actor distinguish people only under \"approval\": {\"by\": \"actor\"}"
      } else if SecondActor.named(asked) == nil {
        "approval takes \(SecondActor.approvers(ofRequestBy: asked, by))"
      } else {
        asked == actor
          ? "approve it from another account, or as another person with --actor NAME"
          : "approve it from another account; two people who share one account must each name their --actor"
      }
    case .notRequested:
      "rewards approvals lists the requests; leave --approve out to request this act"
    case .otherAct:
      "repeat exactly what was requested, including the reason: rewards approvals shows it"
    }
  }
}

extension SecondActor.Problem: FailureConvertible {
  /// The problem as a permission failure.
  package var failure: Failure { Failure(.permission, cause, remedy: remedy) }
}
