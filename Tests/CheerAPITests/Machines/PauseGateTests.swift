import CheerAPI
import CivilTime
import TestSupport
import Testing

@Suite(.offThePool) struct PauseGateTests {
  private let now = Instant(seconds: 1_000_000)

  @Test func aPauseHoldsForItsUser() {
    var gate = PauseGate()
    gate.pause("a", forSeconds: 60, at: now)
    #expect(gate.secondsLeft(for: "a", at: now) == 60)
    #expect(gate.secondsLeft(for: "a", at: now.adding(seconds: 59)) == 1)
    #expect(gate.secondsLeft(for: "a", at: now.adding(seconds: 60)) == 0)
    #expect(gate.secondsLeft(for: "b", at: now) == 0)
  }

  @Test func threeUsersInARowMeanEverybody() {
    var gate = PauseGate()
    for user in ["a", "b", "c"] { gate.pause(user, forSeconds: 60, at: now) }
    #expect(gate.secondsLeft(for: "d", at: now) == 60)
    #expect(gate.apiPausedUntil(at: now) == now.adding(seconds: 60))
    #expect(gate.apiPausedUntil(at: now.adding(seconds: 60)) == nil)
  }

  @Test func whatOthersWereToldHoldsForEverybody() {
    var gate = PauseGate()
    gate.pauseAll(until: now.adding(seconds: 60), at: now)
    #expect(gate.secondsLeft(for: "a", at: now) == 60)
    gate.pauseAll(until: now.adding(seconds: 30), at: now)
    gate.pauseAll(until: now.adding(seconds: -30), at: now)
    #expect(gate.apiPausedUntil(at: now) == now.adding(seconds: 60))
    // Longer than any pause is: somebody's clock was wrong.
    gate.pauseAll(until: now.adding(seconds: 10_000_000), at: now)
    #expect(gate.apiPausedUntil(at: now) == now.adding(seconds: 60))
  }

  @Test func aPauseFromAClockThatWasSetBackGivesWayToTheNext() {
    var gate = PauseGate()
    gate.pauseAll(until: now.adding(seconds: 60), at: now)
    let earlier = now.adding(seconds: -10_000_000)
    gate.pauseAll(until: earlier.adding(seconds: 20), at: earlier)
    #expect(gate.secondsLeft(for: "a", at: earlier) == 20)
  }

  @Test func anAnswerInBetweenMeansSomeUsersOnly() {
    var gate = PauseGate()
    for user in ["a", "b", "c", "d", "e"] {
      gate.pause(user, forSeconds: 3_600, at: now)
      gate.noteAnswer()
    }
    #expect(gate.secondsLeft(for: "f", at: now) == 0)
    #expect(gate.secondsLeft(for: "a", at: now) == 3_600)
  }

  @Test func oneUserThreeTimesIsStillOneUser() {
    var gate = PauseGate()
    for _ in 0..<3 { gate.pause("a", forSeconds: 60, at: now) }
    #expect(gate.secondsLeft(for: "b", at: now) == 0)
  }

  @Test func aShorterPauseDoesNotShortenALongerOne() {
    var gate = PauseGate()
    gate.pause("a", forSeconds: 60, at: now)
    gate.pause("a", forSeconds: 5, at: now)
    #expect(gate.secondsLeft(for: "a", at: now) == 60)
  }

  @Test func aClockThatRanBackByDaysEndsThePause() {
    var gate = PauseGate()
    gate.pause("a", forSeconds: 60, at: now)
    #expect(gate.secondsLeft(for: "a", at: now.adding(seconds: -86_400)) == 0)
  }
}
