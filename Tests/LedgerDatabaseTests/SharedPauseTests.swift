import CivilTime
import LedgerDatabase
import TestSupport
import Testing

/// What one worker was told by the app's API, all know.
@Suite(.offThePool, .enabled(if: DatabasePlace.isAvailable)) struct SharedPauseTests {
  private let noon = Instant(seconds: 1_795_000_000)

  @Test func theLatestMomentHolds() throws {
    let pool = try DatabasePlace.makeDatabase()
    _ = try DatabaseSchema(pool).migrate()
    let pause = SharedPause(pool, longestSeconds: 3_600)
    #expect(try pause.exchange(nil) == Instant(seconds: 0))
    #expect(try pause.exchange(noon) == noon)
    #expect(try pause.exchange(noon.adding(seconds: -60)) == noon)
    #expect(try pause.exchange(noon.adding(nanoseconds: 1)) == noon.adding(seconds: 1))
    #expect(try pause.exchange(nil) == noon.adding(seconds: 1))
  }

  @Test func aMomentFromAClockThatWasSetBackGivesWay() throws {
    let pool = try DatabasePlace.makeDatabase()
    _ = try DatabaseSchema(pool).migrate()
    let pause = SharedPause(pool, longestSeconds: 3_600)
    _ = try pause.exchange(noon.adding(seconds: 10_000_000))
    #expect(try pause.exchange(noon) == noon)
  }
}
