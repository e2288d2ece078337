public import CivilTime

/// The acts too big for one person: who requested them, and who approved.
public struct RequestMarks: Sendable, Equatable {
  /// The requests, by id.
  public internal(set) var all: [String: RequestMark] = [:]

  /// Applies an operator's request or approval, or a refusal, at `instant`.
  mutating func apply(_ act: OperatorRecord, at instant: Instant) {
    switch act.act {
    case .request:
      // Whoever takes over a request leaves the bytes to sign as they are.
      let last = all[act.subject]
      let stands = last.map { !$0.isUsed && !$0.isDeclined && $0.what == act.what } ?? false
      all[act.subject] = RequestMark(
        what: act.what ?? "", reason: act.reason, round: (last?.round ?? 0) + (stands ? 0 : 1),
        at: instant, actor: act.actor, isSigned: act.signature != nil)
    case .approve:
      all[act.subject]?.approver = act.actor
      all[act.subject]?.isApprovalSigned = act.signature != nil
    case .decline: all[act.subject]?.isDeclined = true
    // Earlier versions named no request.
    case .broadcast: all[act.subject]?.isUsed = true
    default: break
    }
  }

  /// Forgets who has signed what waits, because others may sign now: another round begins, with nobody. `used` is the request carried out.
  mutating func forgetSignatures(except used: String?) {
    for (id, mark) in all where !mark.isUsed && !mark.isDeclined && id != used {
      all[id]?.round += 1
      if mark.isSigned { all[id]?.isSigned = false }
      if mark.isApprovalSigned {
        all[id]?.approver = nil
        all[id]?.isApprovalSigned = false
      }
    }
  }

  /// Uses up the approval that a record names: it counts for one act. The parts of a plan share one, and none can be applied twice.
  mutating func use(_ body: RecordBody) {
    guard let id = body.request else { return }
    if case .operator(let act) = body, act.act == .apply, act.isPart(of: all[id]) { return }
    all[id]?.isUsed = true
  }

  /// Returns who requested the gift under a key that another person approved; nil if one person gave it alone.
  public func requester(ofGift key: String) -> String? {
    all.values.first { $0.approver != nil && $0.what.hasPrefix("grant \(key): ") }?.actor
  }

  /// Returns why a gift was given and who took part, e.g. `cup (bob, requested by alice)`.
  public func reason(ofGift act: OperatorRecord) -> String {
    let requester = requester(ofGift: act.subject).map { ", requested by \($0)" } ?? ""
    return "\(act.reason) (\(act.actor)\(requester))"
  }

  /// The requests waiting for a second person, oldest first.
  public var waiting: [(id: String, mark: RequestMark)] {
    all.filter { $0.value.isWaiting }.map { (id: $0.key, mark: $0.value) }
      .sorted { ($0.mark.at, $0.id) < ($1.mark.at, $1.id) }
  }
}

extension OperatorRecord {
  /// Whether it applies part of the plan that was requested, by its id.
  fileprivate func isPart(of mark: RequestMark?) -> Bool {
    mark?.what.hasPrefix("apply the plan \(subject): ") ?? false
  }
}

/// A request for an act that one person may not do alone.
public struct RequestMark: Sendable, Equatable {
  /// The requested act, in words.
  public internal(set) var what: String
  /// The reason given.
  public internal(set) var reason: String
  /// How often this was requested, or others were to sign it, beginning with 1. Who takes a request over does not request it again.
  public internal(set) var round: Int
  /// When it was made.
  public internal(set) var at: Instant
  /// The person who made the request.
  public internal(set) var actor: String
  /// Whether a signature says so.
  public internal(set) var isSigned: Bool
  /// The person who approved it; nil while it waits.
  public internal(set) var approver: String?
  /// Whether a signature says so.
  public internal(set) var isApprovalSigned = false
  /// Whether it was carried out.
  public internal(set) var isUsed = false
  /// Whether somebody declined it.
  public internal(set) var isDeclined = false

  /// Whether it waits for a second person.
  public var isWaiting: Bool { approver == nil && !isDeclined }
}
