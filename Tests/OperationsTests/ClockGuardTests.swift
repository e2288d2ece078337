import CivilTime
import Ledger
import TestSupport
import Testing

@testable import Operations

/// What the ledger tells of the clock.
@Suite(.offThePool) struct ClockGuardTests {
  private static let last = Instant(seconds: 1_795_176_000)

  private static func state(hasUsers: Bool) -> LedgerState {
    var state = LedgerState()
    state.apply(
      Record(
        seq: 1, at: last,
        body: .genesis(GenesisRecord(format: 1, ledger: "x", program: "rewards test"))))
    if hasUsers {
      state.apply(
        Record(
          seq: 2, at: last,
          body: .user(
            UserRecord(user: "ann", zone: "UTC", from: last, since: Day(number: 20_777)))))
    }
    return state
  }

  private static let day: Int64 = 86_400
  private static let table: [(offset: Int64, hasUsers: Bool, verdict: ClockGuard.Assessment)] = [
    (-301, true, .behind(last)), (-300, true, .right), (-1, true, .right), (0, true, .right),
    (7 * day, true, .right), (7 * day + 1, true, .ahead(last)),
    // Without users nobody can lose anything by a jump forwards.
    (7 * day + 1, false, .right), (-301, false, .behind(last)),
  ]

  @Test(arguments: table)
  func judges(offset: Int64, hasUsers: Bool, verdict: ClockGuard.Assessment) {
    let clockGuard = ClockGuard(maxIdleDays: 7)
    let now = Self.last.adding(seconds: offset)
    #expect(clockGuard.assess(now, state: Self.state(hasUsers: hasUsers)) == verdict)
  }

  @Test func anEmptyLedgerProvesNothing() {
    let verdict = ClockGuard(maxIdleDays: 1).assess(Instant(seconds: 0), state: LedgerState())
    #expect(verdict == .right)
  }
}
