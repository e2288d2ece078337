public import CivilTime

/// The text of a grant's key, which begins with the user: that of a ``RewardRules/RewardKey`` or a ``HandKey``, with or without
/// the number of an adjustment.
public struct GrantKey: Hashable, Sendable {
  /// The key as lines and commands spell it.
  public let text: String

  /// Creates a key with this text, which need not be one.
  public init(_ text: String) { self.text = text }

  /// The user: what stands before the first slash.
  public var user: String { String(Substring(text.utf8.prefix { $0 != Self.slash })) }

  /// Whether it is a key of this user.
  public func isOf(_ user: String) -> Bool {
    let (key, user) = (text.utf8, user.utf8)
    return key.starts(with: user) && key.dropFirst(user.count).first == Self.slash
  }

  /// The day between the first slash and the last; nil for a level and for what was given by hand.
  public var day: Day? {
    let key = text.utf8
    guard let first = key.firstIndex(of: Self.slash), let last = key.lastIndex(of: Self.slash),
      first != last
    else { return nil }
    return Day(String(text[key.index(after: first)..<last]))
  }

  private static let slash = UInt8(ascii: "/")
}
