import CivilTime
import Foundations
import Scheduling

/// Lets the service work only while the clock can be right.
struct ClockWatch: Sendable {
  /// The interval for checking an untrusted clock again, in seconds: it may be confirmed or set right.
  private static let lookEverySeconds: Int64 = 60

  let runtime: Runtime
  let signals: ServiceSwitch
  let health: ServiceHealth

  /// Returns the present once the clock can be right; nil when the service is stopped before.
  ///
  /// Waits for a clock behind the ledger's last record to catch up. A clock far ahead of it, or moved under this
  /// process, must be set right or confirmed by an operator.
  func trustedNow() async -> Instant? {
    let clock = runtime.clock
    var hasWaited = false
    while !signals.isStopping {
      if let seconds = runtime.heldClock.differenceSeconds {
        hasWaited = true
        await wait(
          "\(Runtime.differenceText(of: seconds)): \(await runtime.differenceRemedy)", until: nil)
        continue
      }
      let now = clock.now()
      switch await runtime.clockAssessment(at: now) {
      case .right:
        health.noteClock(nil)
        let doubt = runtime.heldClock.doubt
        if health.isNews(doubt ?? "right", about: .clock) {
          if let doubt {
            runtime.environment.log.warning(
              "no day is closed: \(doubt); \(RuntimeError.clockRemedy)")
          } else if hasWaited {
            runtime.environment.log.warning("the clock is right again")
          }
          // Once it is confirmed, later starts in this boot may trust it.
          if doubt == nil { runtime.markClock() }
        }
        return now
      case .behind(let last):
        hasWaited = true
        await wait(
          "the clock is behind the last record, \(last); waiting: \(RuntimeError.aheadRemedy)",
          until: last)
      case .ahead(let last):
        hasWaited = true
        await wait(
          "the clock is far ahead of \(last), when it was last right; if it is right, run rewards doctor --accept-clock",
          until: nil)
      }
    }
    return nil
  }

  private func wait(_ reason: String, until instant: Instant?) async {
    let clock = runtime.clock
    // Log it once, not at every check.
    if health.isNews(reason, about: .clock) { runtime.environment.log.error(reason) }
    health.noteClock(reason)
    // Whatever the outcome, polls from a future that has not come are void.
    await LookMemory(runtime.writer).void(after: clock.now())
    let look = clock.now().adding(seconds: Self.lookEverySeconds)
    await signals.nap(leavingReloads: true) {
      try await clock.sleep(until: min(instant ?? look, look))
    }
  }
}
