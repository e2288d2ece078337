public import CivilTime

/// What a backfill is asked to do.
public struct BackfillOrder: Sendable, Equatable {
  /// The user-local days that are judged again by all that is recorded, first and last included.
  public var days: ClosedRange<Day>
  /// Only these users; when it is empty, all.
  public var users: Set<String>
  /// Whether users lose what they should not have got.
  public var clawsBack: Bool

  /// An order.
  public init(days: ClosedRange<Day>, users: Set<String> = [], clawsBack: Bool = false) {
    self.days = days
    self.users = users
    self.clawsBack = clawsBack
  }
}
