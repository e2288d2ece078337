import CivilTime
import Evidence
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// One line of the log for each interval in which somebody was due.
@Suite(.offThePool) struct SweepCountTests {
  private let start = Instant(seconds: 1_800_000_000)

  private func at(_ seconds: Int64) -> Instant { start.adding(seconds: seconds) }

  private func told(_ sweep: inout SweepCount, at seconds: Int64) -> [String: String]? {
    sweep.takeEnded(at: at(seconds)).map { fields in
      Dictionary(uniqueKeysWithValues: fields.map { ($0.key, "\($0.value)") })
    }
  }

  @Test func anIntervalWithoutAnybodyIsNotTold() {
    var sweep = SweepCount(intervalSeconds: 900)
    sweep.add(due: 0, at: at(0))
    #expect(told(&sweep, at: 5_000) == nil)
  }

  @Test func countsUntilTheIntervalIsOver() {
    var sweep = SweepCount(intervalSeconds: 900)
    sweep.add(due: 2, at: at(100))
    sweep.add(due: 1, at: at(400))
    var visit = Poller.Round()
    visit.users = 1
    visit.looks = 3
    visit.failures = [.timedOut: 1, .serverError: 1]
    sweep.add(visit)
    sweep.add(visit)
    #expect(told(&sweep, at: 999) == nil)
    let fields = told(&sweep, at: 1_001)
    #expect(fields?.keys.sorted() == ["due", "failed", "grants", "polls", "seconds", "users"])
    for (name, value) in [
      "due": 3, "users": 2, "polls": 6, "failed": 4, "grants": 0, "seconds": 901,
    ] {
      #expect(fields?[name]?.contains("\(value)") == true, "\(name)")
    }
    #expect(told(&sweep, at: 9_999) == nil)
  }
}
