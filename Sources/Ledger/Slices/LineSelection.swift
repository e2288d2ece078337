public import CivilTime

/// Which lines of a ledger are wanted: a line must pass every condition that is set.
public struct LineSelection: Sendable, Equatable {
  /// Records of these types; when it is empty, all but seals.
  public var types: Set<RecordType> = []
  /// Records that name one of these users; when it is empty, whoever they name.
  public var users: Set<String> = []
  /// Records made at or after this instant.
  public var since: Instant?
  /// Records made before this instant.
  public var until: Instant?
  /// Records about one of these user-local days, first and last included; records without a day do not pass.
  public var days: ClosedRange<Day>?

  /// Everything but seals.
  public init() {}

  /// Whether the line's beginning tells all that is asked for.
  var needsOnlyFrame: Bool { users.isEmpty && days == nil }
}
