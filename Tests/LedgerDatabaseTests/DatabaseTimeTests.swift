import Foundations
import Glibc
import TestSupport
import Testing

@testable import LedgerDatabase

/// All workers of a database go by one clock.
@Suite(.offThePool) struct DatabaseTimeTests {
  private let own = Lock(100.0)
  private let clock: DatabaseTime

  init() {
    let own = own
    clock = DatabaseTime(WorkerTime(now: { own.withLock { $0 } }, pause: { _ in }))
  }

  /// An answer that is sent at `sent` and comes at `received`, with what the database's clock showed in between.
  private func hear(_ database: Double, sent: Double, received: Double) {
    own.withLock { $0 = received }
    clock.observe(milliseconds: Int64(database * 1000), sent: sent)
  }

  private func now(at own: Double) -> Double? {
    self.own.withLock { $0 = own }
    return clock.now()
  }

  @Test func theMachinesClockCarriesItOn() {
    #expect(clock.now() == nil)
    hear(1_795_000_000, sent: 100, received: 100.5)
    #expect(now(at: 110.25) == 1_795_000_010)
  }

  /// What the way there and back leaves open is no news: time runs evenly.
  @Test func smallDifferencesChangeNothing() {
    hear(5_000, sent: 100, received: 100.01)
    let before = now(at: 200)
    hear(5_099.9, sent: 199.9, received: 200)
    hear(5_100.02, sent: 200, received: 200.03)
    #expect(now(at: 200) == before)
  }

  @Test func aClockThatWasSetIsFollowed() throws {
    hear(5_000, sent: 100, received: 100)
    hear(5_700, sent: 200, received: 200)
    #expect(now(at: 201) == 5_701)
    hear(5_050, sent: 300, received: 300)
    #expect(now(at: 300) == 5_050)
  }

  /// Who waited long for an answer does not know what time it is now.
  @Test func slowAnswersTellNothing() {
    hear(5_000, sent: 100, received: 100)
    hear(9_000, sent: 200, received: 203)
    #expect(now(at: 203) == 5_103)
  }

  @Test(.enabled(if: DatabasePlace.isAvailable)) func aDatabaseTells() throws {
    let place = try DatabasePlace()
    let real = DatabaseTime(.machine)
    try real.synchronize(with: place.pool)
    // The database of these tests goes by this machine's clock.
    var wall = timespec()
    clock_gettime(CLOCK_REALTIME, &wall)
    #expect(abs(try #require(real.now()) - Double(wall.tv_sec)) < 60)
  }
}
