public import CivilTime
public import Ledger

/// Judges whether the clock can be right, from what the ledger has seen.
public struct ClockGuard: Sendable {
  /// What to do about the clock.
  public enum Verdict: Sendable, Equatable {
    /// Nothing.
    case right
    /// It stands before the ledger's last record: wait until it has passed this instant.
    case behind(Instant)
    /// It stands further after the ledger's last record than a service is ever idle: an operator must confirm it.
    case ahead(Instant)
  }

  /// How far the clock may stand before the last record.
  static let toleranceSeconds: Int64 = 300
  /// How long a service may have been idle.
  let maxIdleDays: Int

  /// A guard.
  public init(maxIdleDays: Int) { self.maxIdleDays = maxIdleDays }

  /// The verdict on `now`. A ledger without users proves nothing.
  public func verdict(on now: Instant, state: LedgerState) -> Verdict {
    guard state.seq > 0 else { return .right }
    let last = state.at
    if now < last.adding(seconds: -Self.toleranceSeconds) { return .behind(last) }
    let idleLimit = last.adding(seconds: Int64(maxIdleDays) * 86_400)
    if now > idleLimit, !state.accounts.isEmpty { return .ahead(last) }
    return .right
  }
}
