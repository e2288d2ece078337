import Engine
package import Failures
package import Ledger
package import RewardRules

/// Requires two people for an act too big for one. Requests and approvals are recorded in the ledger.
package struct SecondActor: Sendable {
  /// The reason why an act is not done now. If a request was needed, the ledger holds it.
  package enum Problem: Error, Sendable, Equatable {
    /// It exceeds the limits and waits under this id for somebody other than `asked`.
    case waiting(id: String, excess: String, asked: String)
    /// The person who requested it cannot approve it.
    case sameActor(id: String, asked: String, actor: String)
    /// There is no request with this id.
    case notRequested(id: String)
    /// The id belongs to a different act.
    case otherAct(given: String, id: String)
  }

  private let writer: LedgerWriter
  private let limits: ManualLimits

  /// Creates the two-person rule for this writer's ledger.
  package init(_ writer: LedgerWriter, _ limits: ManualLimits) {
    self.writer = writer
    self.limits = limits
  }

  /// Returns if the act may be done now: it is within the limits, or `actor` approves by id what another person requested.
  ///
  /// Otherwise records the request and throws ``Problem``. An approval counts until the act is done; an act repeated
  /// after a crash needs the same approval again.
  package func admit(
    _ act: BigAct, _ amounts: Amounts, approving id: String?, actor: String
  ) async throws {
    guard let excess = limits.excess(of: amounts) else { return }
    if let id, id != act.id { throw Problem.otherAct(given: id, id: act.id) }
    guard id != nil else {
      let asked = try await request(act, by: actor)
      throw Problem.waiting(id: act.id, excess: excess, asked: asked)
    }
    try await writer.change(.all) { state in
      if let objection = act.objection(to: actor, in: state.ledger.requests) { throw objection }
      let drafts = [Draft([.operator(Self.approval(of: act, by: actor))])]
      return LedgerWriter.Proposal(drafts) { _, _ in }
    }
  }

  /// Carries out an act that always takes two people: the approval and `body` share a seal, so it is done once for each request. Returns
  /// false when another approval has done it before, and then appends nothing.
  ///
  /// Without `id` records the request, and throws like ``admit(_:_:approving:actor:)``.
  package func perform(
    _ act: BigAct, named name: String, _ body: RecordBody, approving id: String?, actor: String
  ) async throws -> Bool {
    if let id, id != act.id { throw Problem.otherAct(given: id, id: act.id) }
    guard id != nil else {
      let asked = try await request(act, by: actor)
      throw Problem.waiting(id: act.id, excess: name, asked: asked)
    }
    return try await writer.change(.all) { state in
      let requests = state.ledger.requests
      if let objection = act.objection(to: actor, in: requests) { throw objection }
      if requests.all[act.id]?.approver != nil {
        return LedgerWriter.Proposal([]) { _, _ in false }
      }
      let drafts = [Draft([.operator(Self.approval(of: act, by: actor)), body])]
      return LedgerWriter.Proposal(drafts) { _, _ in true }
    }
  }

  /// Records a request unless it stands already; returns who made it.
  private func request(_ act: BigAct, by actor: String) async throws -> String {
    try await writer.change(.all) { state in
      let known = act.request(standingFor: actor, in: state.ledger.requests)
      let drafts = known == nil ? [Draft([.operator(Self.request(act, actor))])] : []
      return LedgerWriter.Proposal(drafts) { _, _ in known?.actor ?? actor }
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

extension SecondActor {
  /// Returns who may approve a request, in words.
  package static func approvers(of request: RequestMark) -> String {
    BigAct.isRequestedBySource(request) ? "any person" : approvers(ofRequestBy: request.actor)
  }

  /// Returns who may approve what `actor` has asked for, in words.
  fileprivate static func approvers(ofRequestBy actor: String) -> String {
    named(actor).map { "another account than \($0.account), or another --actor than \($0.name)" }
      ?? "another account than \(actor), unless the request is repeated with --actor NAME"
  }

  /// Returns the name and the account of an actor; nil where no name was given.
  package static func named(_ actor: String) -> (name: Substring, account: Substring)? {
    guard actor.hasSuffix(")"), let split = actor.firstRange(of: " (account ") else { return nil }
    return (actor[..<split.lowerBound], actor[split.upperBound...].dropLast())
  }
}

extension SecondActor.Problem: CustomStringConvertible {
  /// The cause and the remedy on one line.
  package var description: String { "\(cause); \(remedy)" }

  /// Why the act is not done.
  package var cause: String {
    switch self {
    case .waiting(_, let excess, _): "\(excess) needs a second person"
    case .sameActor(let id, let asked, let actor):
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
    case .waiting(let id, _, let asked):
      "the request is recorded as \(id): a second person repeats it with --approve \(id)"
        + (SecondActor.named(asked) == nil
          ? "; that takes \(SecondActor.approvers(ofRequestBy: asked))" : "")
    case .sameActor(_, let asked, let actor):
      SecondActor.named(asked) == nil
        ? "approval takes \(SecondActor.approvers(ofRequestBy: asked))"
        : asked == actor
          ? "approve it from another account, or as another person with --actor NAME"
          : "approve it from another account; two people who share one account must each name their --actor"
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
