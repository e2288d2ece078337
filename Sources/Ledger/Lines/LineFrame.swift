internal import CivilTime
internal import StrictJSON

/// What every line begins with, and the key of a grant: all that a check of the chain needs.
struct LineFrame {
  let seq: UInt64
  let at: Instant
  /// Nil for a type that this version does not know.
  let type: RecordType?
  /// Where a grant's key stands in the line, without its quotes.
  let key: Range<Int>?
}
