/// A key that no rule demands: what stands under it was given by a person or by a plan.
public enum HandKey: Sendable, Equatable {
  /// `USER/waived/PLAN`: what a plan lets a user keep.
  case waived(plan: String)
  /// `USER/manual/ID`: a grant by hand.
  case manual(id: String)

  /// The key that `text` spells, without its user; nil for anything else.
  public init?(text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[2].isEmpty else { return nil }
    switch parts[1] {
    case "waived": self = .waived(plan: String(parts[2]))
    case "manual": self = .manual(id: String(parts[2]))
    default: return nil
    }
  }

  /// The key's text for one user.
  public func text(user: String) -> String {
    switch self {
    case .waived(let plan): "\(user)/waived/\(plan)"
    case .manual(let id): "\(user)/manual/\(id)"
    }
  }
}
