public import CivilTime

/// Acts that are too big for one person: who asked for them, and who has agreed.
public struct RequestMarks: Sendable, Equatable {
  /// By the request's id.
  public internal(set) var all: [String: RequestMark] = [:]

  /// Takes in that an operator asked or agreed at `instant`.
  mutating func take(_ act: OperatorRecord, at instant: Instant) {
    switch act.act {
    case .request:
      all[act.subject] = RequestMark(
        what: act.what ?? "", reason: act.reason, actor: act.actor, at: instant, approver: nil)
    case .approve: all[act.subject]?.approver = act.actor
    default: break
    }
  }

  /// What waits for a second person, oldest first.
  public var waiting: [(id: String, mark: RequestMark)] {
    all.filter { $0.value.approver == nil }.map { (id: $0.key, mark: $0.value) }
      .sorted { ($0.mark.at, $0.id) < ($1.mark.at, $1.id) }
  }
}

/// A request that an act be done for which one person is not enough.
public struct RequestMark: Sendable, Equatable {
  /// What is to be done, in words.
  public internal(set) var what: String
  /// Why.
  public internal(set) var reason: String
  /// Who asked.
  public internal(set) var actor: String
  /// When.
  public internal(set) var at: Instant
  /// Who agreed; nil while it waits.
  public internal(set) var approver: String?
}
