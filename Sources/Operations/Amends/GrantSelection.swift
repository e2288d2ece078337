public import CivilTime
import Ledger

/// Some of the grants in a ledger: those that meet every condition that is set.
public struct GrantSelection: Sendable, Equatable {
  /// These keys.
  public var keys: Set<String>?
  /// Granted by this version of the rules.
  public var rules: String?
  /// Of these user-local days.
  public var days: ClosedRange<Day>?
  /// Of these missions, `login`, `level`, `manual` or `waived`.
  public var missions: Set<String> = []
  /// Of these users.
  public var users: Set<String> = []

  /// All grants.
  public init() {}

  /// Whether a grant or an adjustment meets every condition; of an adjustment the adjusted key counts.
  func includes(_ grant: GrantRecord) -> Bool {
    (keys?.contains(grant.baseKey) ?? true) && (rules.map { $0 == grant.rules } ?? true)
      && (days?.contains(grant.day) ?? true)
      && (missions.isEmpty || missions.contains(grant.mission))
      && (users.isEmpty || users.contains(grant.user))
  }
}
