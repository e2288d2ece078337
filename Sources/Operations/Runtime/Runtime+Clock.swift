package import CivilTime
import Configuration
import Failures
import Foundations
package import Ledger
package import LedgerStore
package import Scheduling

extension Runtime {
  /// Throws when the clock cannot be right; an explicit `--now` confirms itself.
  package func checkClock(isConfirmed: Bool) async throws {
    if isConfirmed { return }
    if let seconds = heldClock.differenceSeconds {
      throw RuntimeError(
        kind: .clock, cause: Self.differenceText(of: seconds), remedy: await differenceRemedy)
    }
    let now = clock.now()
    switch await clockAssessment(at: now) {
    case .right: return
    case .behind(let last):
      throw RuntimeError(
        kind: .clock, cause: "the clock shows \(now), before the ledger's last record \(last)",
        remedy: RuntimeError.aheadRemedy)
    case .ahead(let last):
      throw RuntimeError(
        kind: .clock,
        cause:
          "the clock shows \(now), more than \(configuration.maxIdleDays) days after the ledger's last record \(last)",
        remedy:
          "if the clock is right, confirm it with rewards doctor --accept-clock, or give the present with --now"
      )
    }
  }

  /// Throws while the clock is unconfirmed, because changes that take effect from now on would use a wrong time.
  package func requireConfirmedClock() throws(RuntimeError) {
    guard let doubt = heldClock.doubt else { return }
    throw RuntimeError(kind: .clock, cause: doubt, remedy: RuntimeError.clockRemedy)
  }

  /// Returns what a service started with this clock would leave undone, and why; nil when nothing.
  package static func clockObjection(
    _ clock: any ServiceClock, in directory: DataDirectory, after state: LedgerState
  ) -> String? {
    guard let mark = ClockMark.read(in: directory, boot: clock.boot) else { return nil }
    let held = HeldClock(clock, since: mark.reading)
    if let seconds = held.differenceSeconds {
      return "nothing is granted: \(differenceText(of: seconds))"
    }
    return mark.doubt(of: held, after: state).map { "no day is closed: \($0)" }
  }

  /// The remedy for a clock that differs from the boot clock; one behind the last record cannot be accepted.
  var differenceRemedy: String {
    get async {
      if case .behind = await clockAssessment(at: heldClock.wall) {
        return RuntimeError.aheadRemedy
      }
      return RuntimeError.clockRemedy
    }
  }

  func clockAssessment(at now: Instant) async -> ClockGuard.Assessment {
    let clockGuard = ClockGuard(maxIdleDays: configuration.maxIdleDays)
    return await writer.read { clockGuard.assess(now, state: $0.ledger) }
  }

  /// Stores for the next start what the clocks show while they agree, or that the clock is unconfirmed.
  func markClock() {
    guard store != nil, let boot = heldClock.boot, let mark = ClockMark(directory) else { return }
    guard let reading = heldClock.reading else {
      if heldClock.isInDoubt {
        mark.write(ClockReading(wall: heldClock.wall, boot: 1), boot: nil)
      }
      return
    }
    clockMark.withLock { marked in
      if let marked, abs(reading.wall.seconds(since: marked.expected(at: reading.boot))) <= 1 {
        return
      }
      mark.write(reading, boot: boot)
      marked = reading
    }
  }

  /// Records that `actor` accepts the wall clock, and trusts it from now on; returns what it shows.
  ///
  /// Throws ``Failures/Failure`` when it is behind the ledger's last record, and then does not accept it.
  package func acceptClock(actor: String) async throws -> Instant {
    let now = heldClock.wall
    let last = await writer.read { $0.ledger.at }
    guard now >= last else {
      throw Failure(
        .tryAgain, "the clock shows \(now), before the ledger's last record \(last)",
        remedy: "Such a clock cannot be accepted: \(RuntimeError.aheadRemedy).")
    }
    heldClock.acceptWall()
    markClock()
    try await writer.append(
      .operator(
        OperatorRecord(
          act: .acceptClock, subject: now.description, reason: "rewards doctor --accept-clock",
          actor: actor)))
    return now
  }

  /// Describes a wall clock that differs from the boot clock by so many seconds.
  static func differenceText(of seconds: Int64) -> String {
    // In whole minutes, because the two clocks are not read at exactly the same time.
    "the clock was set \((abs(seconds) + 30) / 60) minutes \(seconds < 0 ? "back" : "forwards") since it was last known to be right"
  }
}
