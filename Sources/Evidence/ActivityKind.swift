/// A kind of activity. The cases stand in the order of their names, which is the order of a set.
///
/// A new kind is a case at its place by name, with the next number, a row of the table below, and one more place in
/// ``EachKind``.
public enum ActivityKind: UInt8, CaseIterable, Sendable {
  // The numbers stand in snapshots and polls on disk. None may change or be used again.
  case comment = 0
  case follow = 1
  case gift = 2
  case login = 3
  case purchase = 4
  case share = 5
  case stream = 6
  case watch = 7

  /// What distinguishes one kind from another: its name, where it is seen, whether it lasts, and the route that counts
  /// it.
  private var row: (name: String, source: Source, lasts: Bool, counter: Source?) {
    switch self {
    case .comment: ("comment", .inbox, false, nil)
    case .follow: ("follow", .inbox, false, .follows)
    case .gift: ("gift", .lastGift, false, nil)
    case .login: ("login", .inbox, false, nil)
    case .purchase: ("purchase", .inbox, false, nil)
    case .share: ("share", .inbox, false, nil)
    case .stream: ("stream", .lastStream, true, nil)
    case .watch: ("watch", .watchedStreams, true, nil)
    }
  }

  /// The name of the kind in files and output; at most eight bytes.
  public var name: String { row.name }
  /// Where this kind is seen. A route may confirm what the inbox reports.
  public var source: Source { row.source }
  /// The route that reports only how often it was done; nil if there is none.
  public var counter: Source? { row.counter }
  /// Whether it has a duration, so that its mission may have a minimum.
  public var lasts: Bool { row.lasts }

  /// Creates the kind with this name; nil if there is none.
  public init?(name: some StringProtocol) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  /// Creates the kind whose name these bytes spell; nil if there is none.
  public init?(utf8 name: UnsafeBufferPointer<UInt8>) {
    // Each name fits a 64-bit word, so each takes one comparison.
    guard name.count <= 8, name.first != 0 else { return nil }
    let word = Self.pack(name)
    guard let (_, kind) = Self.packed.first(where: { $0.name == word }) else { return nil }
    self = kind
  }

  private static let packed = allCases.map { (name: pack($0.name.utf8), kind: $0) }

  private static func pack(_ name: some Sequence<UInt8>) -> UInt64 {
    name.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// One value for each kind, at the kind's number.
public typealias EachKind<Value> = InlineArray<8, Value>

extension ActivityKind {
  /// One more than the highest number of a kind; ``EachKind`` must have as many places.
  public static let numbers = 1 + allCases.reduce(0) { max($0, Int($1.rawValue)) }
}

extension ActivityKind: Comparable {
  /// Orders kinds by name.
  public static func < (left: ActivityKind, right: ActivityKind) -> Bool {
    left.name < right.name
  }
}
