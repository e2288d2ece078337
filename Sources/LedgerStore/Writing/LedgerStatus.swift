/// Whether a store takes appends.
public enum LedgerStatus: Equatable, Sendable {
  /// The last append, or a probe after it, reached the disk.
  case ready
  /// The last append failed; the next one tries again by itself.
  case failing(LedgerError)
  /// Closed for good.
  case closed
}
