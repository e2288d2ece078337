/// Something a user can do. The order of the cases is the order of their names.
public enum ActivityKind: UInt8, CaseIterable, Sendable {
  case comment, follow, gift, login, purchase, share, stream, watch

  /// The word for the kind in files and output.
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

  /// The kind with this name, or nil.
  public init?(name: some StringProtocol) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  /// The kind whose name these bytes spell, or nil.
  public init?(utf8 name: UnsafeBufferPointer<UInt8>) {
    // Each name fits a word of 64 bits: one comparison for each of them.
    guard name.count <= 8, name.first != 0,
      let place = Self.packedNames.firstIndex(of: Self.pack(name))
    else { return nil }
    self.init(rawValue: UInt8(place))
  }

  private static let packedNames = allCases.map { pack($0.name.utf8) }

  private static func pack(_ name: some Sequence<UInt8>) -> UInt64 {
    name.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Where activities of this kind are seen; a route may confirm what the inbox tells.
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
  /// Whether the name of `left` comes first.
  public static func < (left: ActivityKind, right: ActivityKind) -> Bool {
    left.rawValue < right.rawValue
  }
}
