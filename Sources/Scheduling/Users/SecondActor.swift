import Engine
public import Failures
import Ledger
public import RewardRules

/// Sees to it that what is too much for one person is wanted by two. Requests and approvals are records of the ledger.
public struct SecondActor: Sendable {
  /// Why an act is not done now; a request for it stands in the ledger where one was needed.
  public enum Problem: Error, Sendable, Equatable {
    /// It is beyond the limits, and waits for somebody else under this id.
    case waiting(id: String, excess: String)
    /// Whoever asked for it cannot approve it.
    case sameActor(id: String, asked: String, actor: String)
    /// Nobody has asked for what this id names.
    case notRequested(id: String)
    /// The id belongs to something else than what is to be done now.
    case otherAct(given: String, id: String)
  }

  private let writer: LedgerWriter
  private let limits: HandLimits

  /// Creates the rule of two for this writer's ledger.
  public init(_ writer: LedgerWriter, _ limits: HandLimits) {
    self.writer = writer
    self.limits = limits
  }

  /// Returns when the act may be done now: it is within the limits, or `actor` approves by its id what another has asked for.
  ///
  /// Else records the request and throws ``Problem``. An approval counts for the act until it is done: an act that is
  /// repeated after a crash needs the same word again.
  public func admit(
    _ act: BigAct, _ amounts: Amounts, approving id: String?, actor: String
  ) async throws {
    guard let excess = limits.excess(of: amounts) else { return }
    if let id, id != act.id { throw Problem.otherAct(given: id, id: act.id) }
    let isApproving = id != nil
    try await writer.change(.all) { state in
      let requests = state.ledger.requests
      if isApproving {
        if let objection = act.objection(to: actor, in: requests) { throw objection }
        let approval = OperatorRecord(
          act: .approve, subject: act.id, what: act.what, reason: act.reason, actor: actor)
        return LedgerWriter.Proposal([Draft([.operator(approval)])]) { _, _ in }
      }
      let isKnown = requests.all[act.id].map { $0.approver == nil } ?? false
      let drafts = isKnown ? [] : [Draft([.operator(Self.request(act, actor))])]
      return LedgerWriter.Proposal(drafts) { _, _ in }
    }
    if !isApproving { throw Problem.waiting(id: act.id, excess: excess) }
  }

  /// Returns the record that asks for `act`.
  static func request(_ act: BigAct, _ actor: String) -> OperatorRecord {
    OperatorRecord(
      act: .request, subject: act.id, what: act.what, reason: act.reason, actor: actor)
  }
}

extension SecondActor.Problem: CustomStringConvertible {
  /// The cause and the remedy, on one line.
  public var description: String { "\(cause); \(remedy)" }

  /// What is against it.
  public var cause: String {
    switch self {
    case .waiting(_, let excess): "\(excess) needs a second person"
    case .sameActor(let id, let asked, let actor):
      asked == actor
        ? "\(actor) has asked for \(id), and cannot approve it too"
        : "\(asked) has asked for \(id), and \(actor) may be the same person"
    case .notRequested(let id): "nobody has asked for \(id)"
    case .otherAct(let given, let id): "\(given) is not what is to be done here, which is \(id)"
    }
  }

  /// What to do.
  public var remedy: String {
    switch self {
    case .waiting(let id, _):
      "it is recorded as \(id): somebody else repeats the same with --approve \(id)"
    case .sameActor(_, let asked, let actor):
      asked != actor && asked.contains("account")
        ? "another account does it; requests and approvals of one account count as two people's when each names its --actor"
        : "another account does it, or another person with --actor NAME"
    case .notRequested: "rewards approvals lists what waits; without --approve the act is asked for"
    case .otherAct: "repeat exactly what was asked for, reason included: rewards approvals shows it"
    }
  }
}

extension SecondActor.Problem: FailureConvertible {
  /// No permission yet.
  public var failure: Failure { Failure(.permission, cause, remedy: remedy) }
}
