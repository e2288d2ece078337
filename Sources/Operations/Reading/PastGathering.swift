import Engine
import Ledger

/// What is gathered from the past of some users; gatherings of different users are merged.
protocol PastGathering: Sendable {
  /// Whether the whole past of users is needed, or records are enough.
  static var needsPasts: Bool { get }
  /// Looks at the next record about one of the users or about none; `state` stands before it and knows no other users.
  mutating func add(_ record: Record, before state: LedgerState)
  /// Looks at one user's timeline, whose history is whole.
  mutating func examine(_ timeline: Timeline)
  /// Looks at the end; `state` knows these users only.
  mutating func finish(_ state: LedgerState)
  /// Adds what was gathered of other users.
  mutating func merge(_ other: Self)
}

extension PastGathering {
  static var needsPasts: Bool { true }
  mutating func add(_ record: Record, before state: LedgerState) {}
  mutating func examine(_ timeline: Timeline) {}
  mutating func finish(_ state: LedgerState) {}
}
