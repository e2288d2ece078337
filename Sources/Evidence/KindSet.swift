/// A set of activity kinds.
public struct KindSet: OptionSet, Hashable, Sendable {
  /// One bit per kind, at the kind's number.
  public let rawValue: UInt16

  /// Creates the set with these bits.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Creates the set of one kind.
  @inlinable
  public init(_ kind: ActivityKind) { rawValue = 1 << kind.rawValue }

  /// Creates the set of these kinds.
  public init(_ kinds: some Sequence<ActivityKind>) {
    rawValue = kinds.reduce(0) { $0 | 1 << $1.rawValue }
  }

  /// Every kind, and those that are still to come.
  public static let all = KindSet(rawValue: .max)
  /// The kinds that no route reports.
  public static let inbox = KindSet(seenAt: [.inbox])

  /// Creates the set of kinds seen at these sources.
  public init(seenAt sources: some Sequence<Source>) {
    self = []
    for kind in ActivityKind.allCases where sources.contains(kind.source) { insert(kind) }
  }

  /// The kinds in the set, ordered by name.
  public var kinds: [ActivityKind] { ActivityKind.allCases.filter { contains($0) } }

  /// Returns whether `kind` is in the set.
  @inlinable
  public func contains(_ kind: ActivityKind) -> Bool { rawValue & 1 << kind.rawValue != 0 }

  /// Adds `kind`.
  @inlinable
  public mutating func insert(_ kind: ActivityKind) { formUnion(KindSet(kind)) }

  /// Removes `kind`.
  @inlinable
  public mutating func remove(_ kind: ActivityKind) { subtract(KindSet(kind)) }
}
