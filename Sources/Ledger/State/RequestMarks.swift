public import CivilTime

/// The acts too big for one person: who requested them, and who approved.
public struct RequestMarks: Sendable, Equatable {
  /// The requests, by id.
  public internal(set) var all: [String: RequestMark] = [:]

  /// Applies an operator's request or approval at `instant`.
  mutating func apply(_ act: OperatorRecord, at instant: Instant) {
    switch act.act {
    case .request:
      all[act.subject] = RequestMark(
        what: act.what ?? "", reason: act.reason, actor: act.actor, at: instant, approver: nil,
        isUsed: false)
    case .approve: all[act.subject]?.approver = act.actor
    // Earlier versions named no request.
    case .broadcast: use(act.subject)
    default: break
    }
  }

  /// Uses an approval up: it counts for one act.
  mutating func use(_ id: String) { all[id]?.isUsed = true }

  /// Returns whether a request is approved, and not carried out yet.
  public func isAgreed(_ id: String) -> Bool {
    all[id].map { $0.approver != nil && !$0.isUsed } ?? false
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
    all.filter { $0.value.approver == nil }.map { (id: $0.key, mark: $0.value) }
      .sorted { ($0.mark.at, $0.id) < ($1.mark.at, $1.id) }
  }
}

/// A request for an act that one person may not do alone.
public struct RequestMark: Sendable, Equatable {
  /// The requested act, in words.
  public internal(set) var what: String
  /// The reason given.
  public internal(set) var reason: String
  /// The person who made the request.
  public internal(set) var actor: String
  /// When it was made.
  public internal(set) var at: Instant
  /// The person who approved it; nil while it waits.
  public internal(set) var approver: String?
  /// Whether it was carried out.
  public internal(set) var isUsed: Bool
}
