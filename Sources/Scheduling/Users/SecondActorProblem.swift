package import Failures
package import Ledger

extension SecondActor {
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
    /// Only signatures approve it.
    case unsigned(id: String)
  }

  /// Returns who may approve a request, in words.
  package static func approvers(of request: RequestMark, _ limits: HandLimits) -> String {
    switch limits.by {
    case .signature where request.isOfNobody(limits): return "two of the signers"
    case .signature: return "another of the signers than \(request.actor)"
    case .account where HandLimits.isClaimed(request.actor, .account):
      return
        "two persons by signature, or on the service's machine, because whoever writes to the database can name any account"
    case .account, .actor:
      if request.actor == BigAct.source(in: request.reason) {
        return
          "two persons, because the source \(request.actor) is nobody: \(Door.configuration.way)"
      }
      if let door = Door(rawValue: request.actor) {
        return "two persons, because \(door.words) is nobody: \(door.way)"
      }
      return approvers(ofRequestBy: request.actor, limits.by)
    }
  }

  /// Returns who may approve what `actor` has asked for, in words.
  fileprivate static func approvers(
    ofRequestBy actor: String, _ by: HandLimits.Person
  ) -> String {
    let named = named(actor)
    if by != .actor { return "another account than \(named?.account ?? actor)" }
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

extension Door {
  /// What it is, in words.
  fileprivate var words: String {
    switch self {
    case .inbox: "the inbox"
    case .roster: "the roster's file"
    case .configuration: "the configuration"
    }
  }

  /// How two persons agree to what came through it, in words.
  fileprivate var way: String {
    switch self {
    case .inbox: "one hands it in with rewards ingest, another with --approve"
    case .roster: "one hands it in with rewards users import, another with --approve"
    case .configuration: "one approves it, then another does the same"
    }
  }
}

extension SecondActor.Problem: CustomStringConvertible {
  /// The cause and the remedy on one line.
  package var description: String { "\(cause); \(remedy)" }

  /// Why the act is not done.
  package var cause: String {
    switch self {
    case .waiting(_, let excess, _, .signature): "\(excess) needs the signatures of two people"
    case .waiting(_, let excess, _, _): "\(excess) needs a second person"
    case .sameActor(let id, let asked, let actor, _):
      asked == actor
        ? "\(actor) requested \(id), and cannot approve it too"
        : "\(asked) requested \(id), and \(actor) may be the same person"
    case .notRequested(let id): "no request \(id) waits"
    case .otherAct(let given, let id): "\(given) is the id of another act; this one is \(id)"
    case .unsigned(let id): "only signatures approve \(id)"
    }
  }

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .waiting(let id, _, _, .signature):
      "the request is recorded as \(id): two of the signers sign it (rewards help approvals), then repeat this"
    case .waiting(let id, _, let asked, let by) where HandLimits.isClaimed(asked, by):
      "the request is recorded as \(id): two persons approve it by signature, or on the service's machine, then repeat this"
    case .waiting(let id, _, Door.inbox.rawValue, _):
      "the request is recorded as \(id): one person hands it in with rewards ingest, and another with --approve \(id)"
    case .waiting(let id, _, Door.roster.rawValue, _):
      "the request is recorded as \(id): one person hands it in with rewards users import, and another with --approve \(id)"
    case .waiting(let id, _, let asked, let by):
      "the request is recorded as \(id): a second person repeats it with --approve \(id)"
        + (by == .account || SecondActor.named(asked) == nil
          ? "; that takes \(SecondActor.approvers(ofRequestBy: asked, by))" : "")
    case .sameActor(_, _, _, .signature): "another of the signers must sign it"
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
      "rewards approvals --all shows what became of each; to ask anew, do the act without an id"
    case .otherAct:
      "repeat exactly what was requested, including the reason: rewards approvals shows it"
    case .unsigned(let id):
      "sign it: rewards approvals show \(id) prints what to sign, rewards help approvals says how"
    }
  }
}

extension SecondActor.Problem: FailureConvertible {
  /// The problem as a permission failure.
  package var failure: Failure { Failure(.permission, cause, remedy: remedy) }
}
