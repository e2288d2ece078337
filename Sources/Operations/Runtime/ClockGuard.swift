package import CivilTime
package import Ledger

/// Judges from the ledger whether the clock can be right.
package struct ClockGuard: Sendable {
  /// The verdict on the clock.
  package enum Assessment: Sendable, Equatable {
    /// The clock may be right.
    case right
    /// The clock is behind the ledger's last record: wait until it has passed this instant.
    case behind(Instant)
    /// The clock is further ahead of the ledger's last record than a service may be idle: an operator must confirm it.
    case ahead(Instant)
  }

  /// How far the clock may be behind the last record, in seconds.
  static let toleranceSeconds: Int64 = 300
  /// The number of days that a service may be idle.
  let maxIdleDays: Int

  package init(maxIdleDays: Int) { self.maxIdleDays = maxIdleDays }

  /// Returns the verdict on `now`. A ledger without users proves nothing.
  package func assess(_ now: Instant, state: LedgerState) -> Assessment {
    guard state.seq > 0 else { return .right }
    let last = state.at
    if now < last.adding(seconds: -Self.toleranceSeconds) { return .behind(last) }
    let idleLimit = last.adding(seconds: Int64(maxIdleDays) * 86_400)
    if now > idleLimit, !state.accounts.isEmpty { return .ahead(last) }
    return .right
  }
}
