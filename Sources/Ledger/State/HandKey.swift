/// A key that no rule demands: what stands under it was given by a person or by a plan.
public enum HandKey: Sendable, Equatable {
  /// `USER/waived/PLAN`: what a plan lets a user keep.
  case waived(plan: String)
  /// `USER/manual/ID`: a grant by hand.
  case manual(id: String)

  /// The key that `text` spells, without its user; nil for anything else.
  public init?(text: String) {
    // By bytes: every grant of a ledger is asked.
    let slash = UInt8(ascii: "/")
    guard let first = text.utf8.firstIndex(of: slash) else { return nil }
    let rest = text.utf8[text.utf8.index(after: first)...]
    guard let second = rest.firstIndex(of: slash) else { return nil }
    let name = rest[..<second]
    let isWaived = name.elementsEqual("waived".utf8)
    guard isWaived || name.elementsEqual("manual".utf8) else { return nil }
    let id = String(Substring(rest[rest.index(after: second)...]))
    guard !id.isEmpty, !id.utf8.contains(slash) else { return nil }
    self = isWaived ? .waived(plan: id) : .manual(id: id)
  }

  /// The key's text for one user.
  public func text(user: String) -> String {
    switch self {
    case .waived(let plan): "\(user)/waived/\(plan)"
    case .manual(let id): "\(user)/manual/\(id)"
    }
  }
}
