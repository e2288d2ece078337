import CivilTime
import Scheduling
import TestSupport
import Testing

/// How polls share the rate.
@Suite(.offThePool) struct LookAgendaTests {
  private static let now = Instant(seconds: 1_793_000_000)

  /// Sixteen polls in ten seconds may be promised: two users a second, less a fifth.
  private static func agenda() -> LookAgenda { LookAgenda(usersPerSecond: 2, mostUnderWay: .max) }

  private static func entry(_ user: Int, due: Int64, latest: Int64) -> LookAgenda.Entry {
    LookAgenda.Entry(
      user: user,
      look: LookPlanner.PlannedLook(
        due: now.adding(seconds: due), latest: now.adding(seconds: latest)))
  }

  private static func times(_ agenda: inout LookAgenda) -> [Int: Int64] {
    var times: [Int: Int64] = [:]
    while let due = agenda.earliest {
      for user in agenda.dequeueDue(at: due) { times[user] = due.seconds - now.seconds }
    }
    return times
  }

  @Test func looksThatMayWaitWaitForTheRateCallsDoNot() {
    var agenda = Self.agenda()
    for user in 0..<100 { agenda.plan(Self.entry(user, due: 5, latest: 86_000), after: Self.now) }
    for user in 100..<200 { agenda.plan(Self.entry(user, due: 5, latest: 5), after: Self.now) }
    let times = Self.times(&agenda)
    #expect((100..<200).allSatisfy { times[$0] == 5 })
    var perStretch: [Int64: Int] = [:]
    for user in 0..<100 { perStretch[(times[user] ?? -1) / 10, default: 0] += 1 }
    #expect(perStretch.values.allSatisfy { $0 <= 16 })
    #expect(times[99] ?? 0 < 80)
    // Who was planned first comes first.
    #expect((0..<99).allSatisfy { (times[$0] ?? 0) <= (times[$0 + 1] ?? 0) })
  }

  @Test func nothingWaitsBeyondItsLatestInstant() {
    var agenda = Self.agenda()
    for user in 0..<1_000 { agenda.plan(Self.entry(user, due: 5, latest: 40), after: Self.now) }
    #expect(Self.times(&agenda).values.allSatisfy { (5...40).contains($0) })
  }

  @Test func noMoreAreTakenThanMayBeUnderWay() {
    var agenda = LookAgenda(usersPerSecond: 2, mostUnderWay: 10)
    for user in 0..<25 {
      agenda.plan(Self.entry(user, due: Int64(user), latest: Int64(user)), after: Self.now)
    }
    let late = Self.now.adding(seconds: 3_600)
    #expect(agenda.dequeueDue(at: late) == Array(0..<10))
    // Nobody asks at once again, and nobody is lost.
    #expect(agenda.earliest == nil)
    #expect(agenda.dequeueDue(at: late).isEmpty)
    #expect(agenda.count == 15)
    for _ in 0..<3 { agenda.finishLook() }
    #expect(agenda.earliest == Self.now.adding(seconds: 10))
    #expect(agenda.dequeueDue(at: late) == [10, 11, 12])
    agenda.removeAll()
    agenda.plan(Self.entry(30, due: 0, latest: 0), after: Self.now)
    #expect(agenda.dequeueDue(at: late).isEmpty)
    for _ in 0..<10 { agenda.finishLook() }
    #expect(agenda.dequeueDue(at: late) == [30])
  }

  @Test func timeThatHasPassedGivesItsPlacesBack() {
    var agenda = Self.agenda()
    for day in 0..<40 {
      let now = Self.now.adding(seconds: Int64(day) * 3_600)
      for user in 0..<16 {
        agenda.plan(
          LookAgenda.Entry(
            user: day * 16 + user,
            look: LookPlanner.PlannedLook(
              due: now.adding(seconds: 5), latest: now.adding(seconds: 600))), after: now)
      }
    }
    let late = Self.times(&agenda).values.count { $0 % 3_600 > 15 }
    #expect(late == 0)
  }

  /// With a tenth of the rate that is wanted everybody still comes, again and again, hardly anybody more often than
  /// another.
  @Test func nobodyStarves() {
    var agenda = Self.agenda()
    var visits = Array(repeating: 0, count: 600)
    for user in visits.indices {
      agenda.plan(Self.entry(user, due: Int64(user % 10), latest: 86_000), after: Self.now)
    }
    while let due = agenda.earliest, due < Self.now.adding(seconds: 20_000) {
      for user in agenda.dequeueDue(at: due) {
        visits[user] += 1
        let look = LookPlanner.PlannedLook(
          due: due.adding(seconds: 30), latest: Self.now.adding(seconds: 86_000))
        agenda.plan(LookAgenda.Entry(user: user, look: look), after: due)
      }
    }
    let (least, most) = (visits.min() ?? 0, visits.max() ?? 0)
    #expect(least >= 40, "\(least) \(most)")
    #expect(most - least <= most / 10, "\(least) \(most)")
  }
}
