import CivilTime
import Configuration
import Ledger
import Scheduling

extension Runtime {
  /// Throws when the clock stands where it cannot be right; an explicit `--now` confirms itself.
  public func checkClock(isConfirmed: Bool) async throws {
    if isConfirmed { return }
    let now = clock.now()
    switch await clockVerdict(at: now) {
    case .right: return
    case .behind(let last):
      throw RuntimeError(
        kind: .clock, cause: "the clock shows \(now), before the ledger's last record \(last)",
        remedy: "set the clock right, or name the present with --now")
    case .ahead(let last):
      throw RuntimeError(
        kind: .clock,
        cause:
          "the clock shows \(now), more than \(configuration.maxIdleDays) days after the ledger's last record \(last)",
        remedy:
          "if the clock is right, confirm it with rewards doctor --accept-clock, or name the present with --now"
      )
    }
  }

  func clockVerdict(
    at now: Instant, seen: Instant = .earliest
  ) async -> ClockGuard.Verdict {
    let clockGuard = ClockGuard(maxIdleDays: configuration.maxIdleDays)
    return await writer.read { clockGuard.verdict(on: now, state: $0.ledger, seen: seen) }
  }
}
