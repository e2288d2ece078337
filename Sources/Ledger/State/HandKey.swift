/// A key that no rule produces, for what a person or a plan gives.
public enum HandKey: Sendable, Equatable {
  /// `USER/waived/PLAN`: what a plan lets the user keep.
  case waived(plan: String)
  /// `USER/manual/ID`: a manual grant.
  case manual(id: String)

  /// Parses a key without its user; nil for anything else.
  public init?(text: String) {
    var text = text
    guard let key = text.withUTF8({ Self.read($0) }) else { return nil }
    self = key
  }

  // Works on bytes, because this runs for every grant of a ledger.
  private static func read(_ text: UnsafeBufferPointer<UInt8>) -> HandKey? {
    let slash = UInt8(ascii: "/")
    guard let first = text.firstIndex(of: slash) else { return nil }
    let rest = UnsafeBufferPointer(rebasing: text[(first + 1)...])
    guard let second = rest.firstIndex(of: slash), second == 6 else { return nil }
    let isWaived = rest.matches("waived", at: 0)
    guard isWaived || rest.matches("manual", at: 0) else { return nil }
    let id = rest[(second + 1)...]
    guard !id.isEmpty, !id.contains(slash) else { return nil }
    let text = String(decoding: id, as: UTF8.self)
    return isWaived ? .waived(plan: text) : .manual(id: text)
  }

  /// Returns the key's text for one user.
  public func text(user: String) -> String {
    switch self {
    case .waived(let plan): "\(user)/waived/\(plan)"
    case .manual(let id): "\(user)/manual/\(id)"
    }
  }
}
