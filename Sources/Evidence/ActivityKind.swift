/// A kind of thing a user can do. Cases are in the order of their names.
public enum ActivityKind: UInt8, CaseIterable, Sendable {
  case comment, follow, gift, login, purchase, share, stream, watch

  /// The name of the kind in files and output.
  public var name: String {
    switch self {
    case .comment: "comment"
    case .follow: "follow"
    case .gift: "gift"
    case .login: "login"
    case .purchase: "purchase"
    case .share: "share"
    case .stream: "stream"
    case .watch: "watch"
    }
  }

  /// Creates the kind with this name; nil if there is none.
  public init?(name: some StringProtocol) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  /// Creates the kind whose name these bytes spell; nil if there is none.
  public init?(utf8 name: UnsafeBufferPointer<UInt8>) {
    // Each name fits a 64-bit word, so each takes one comparison.
    guard name.count <= 8, name.first != 0,
      let place = Self.packedNames.firstIndex(of: Self.pack(name))
    else { return nil }
    self.init(rawValue: UInt8(place))
  }

  private static let packedNames = allCases.map { pack($0.name.utf8) }

  private static func pack(_ name: some Sequence<UInt8>) -> UInt64 {
    name.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Where this kind is seen. A route may confirm what the inbox reports.
  public var source: Source {
    switch self {
    case .stream: .lastStream
    case .watch: .watchedStreams
    case .gift: .lastGift
    case .comment, .follow, .login, .purchase, .share: .inbox
    }
  }
}

extension ActivityKind: Comparable {
  /// Orders kinds by name.
  public static func < (left: ActivityKind, right: ActivityKind) -> Bool {
    left.rawValue < right.rawValue
  }
}
