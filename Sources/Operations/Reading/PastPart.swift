import Ledger
import Scheduling

/// What is gathered from the past of some users; parts of different users are merged.
protocol PastPart: Sendable {
  /// Whether the whole past of users is needed, or records are enough.
  static var needsPasts: Bool { get }
  /// Looks at the next record about one of the part's users or about none; `fold` stands before it and knows no other users.
  mutating func take(_ record: Record, before fold: PastFold)
  /// Looks at one user's past.
  mutating func examine(_ past: UserPast, _ context: JudgeContext)
  /// Looks at the end; `book` knows the part's users only.
  mutating func finish(_ book: Book)
  /// Adds what was gathered of other users.
  mutating func merge(_ other: Self)
}

extension PastPart {
  static var needsPasts: Bool { true }
  mutating func take(_ record: Record, before fold: PastFold) {}
  mutating func examine(_ past: UserPast, _ context: JudgeContext) {}
  mutating func finish(_ book: Book) {}
}
