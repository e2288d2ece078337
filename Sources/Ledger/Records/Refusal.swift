/// What can be refused.
public enum Refusal: String, Sendable, CaseIterable {
  /// A grant beyond a limit.
  case heldBack
  /// A second grant under one key.
  case keyConflict
  /// An activity that cannot be.
  case badEvidence
  /// An answer that contradicts an earlier one.
  case lyingAnswer
  /// Evidence for a closed day, which only a backfill may use.
  case lateEvidence
}
