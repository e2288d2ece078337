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

  /// What distinguishes one kind from another: its name, and whether it lasts.
  private var row: (name: String, lasts: Bool) {
    switch self {
    case .comment: ("comment", false)
    case .follow: ("follow", false)
    case .gift: ("gift", false)
    case .login: ("login", false)
    case .purchase: ("purchase", false)
    case .share: ("share", false)
    case .stream: ("stream", true)
    case .watch: ("watch", true)
    }
  }

  /// The name of the kind in files and output; at most eight bytes.
  public var name: String { row.name }
  /// Whether it has a duration, so that its mission may have a minimum.
  public var lasts: Bool { row.lasts }
  /// Where this kind is seen: at its route or, without one, in the inbox. A route may confirm what the inbox reports.
  public var source: Source { Source.routes.first { $0.polledKind == self } ?? .inbox }
  /// The route that reports only how often it was done; nil if there is none.
  public var counter: Source? { Source.counters.first { $0.polledKind == self } }

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
