import CivilTime
import Evidence
import Scheduling
import TestSupport
import Testing

@testable import Operations

/// A service says once when everybody whom it found at its start has been polled.
@Suite(.offThePool) struct FirstPollsTests {
  private let start = Instant(seconds: 1_800_000_000)

  private func round(_ failure: FailureCause? = nil) -> Poller.Round {
    var round = Poller.Round()
    if let failure { round.failures[failure] = 1 }
    return round
  }

  @Test func endsWithTheLastUser() throws {
    var polls = FirstPolls([7, 0, 3], at: start)
    #expect(polls.add(3, round(), at: start.adding(seconds: 1)) == nil)
    #expect(polls.add(3, round(), at: start.adding(seconds: 2)) == nil)
    // One who came later.
    #expect(polls.add(8, round(), at: start.adding(seconds: 2)) == nil)
    #expect(polls.add(1, round(), at: start.adding(seconds: 2)) == nil)
    #expect(polls.add(7, round(.timedOut), at: start.adding(seconds: 3)) == nil)
    let last = polls.add(0, round(), at: start.adding(seconds: 61))
    let ended = try #require(last)
    let fields = ended.map { "\($0.key)=\($0.value)" }
    #expect(fields == ["users=number(3)", "failed=number(1)", "seconds=number(61)"])
    #expect(polls.add(0, round(), at: start.adding(seconds: 62)) == nil)
  }

  @Test func theAgendaNamesTheLatestLook() {
    var agenda = LookAgenda(usersPerSecond: 0.1, mostUnderWay: 10)
    #expect(agenda.latest == nil)
    for user in 0..<4 {
      agenda.plan(
        LookAgenda.Entry(
          user: user,
          look: LookPlanner.PlannedLook(due: start, latest: start.adding(seconds: 86_400))),
        after: start)
    }
    // One user each ten seconds.
    #expect(agenda.latest == start.adding(seconds: 30))
    #expect(agenda.users.sorted() == [0, 1, 2, 3])
  }
}
