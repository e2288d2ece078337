import LedgerDatabase
import TestSupport
import Testing

/// Command lines that are left in the database, and the workers that are counted there.
@Suite(.offThePool, .enabled(if: DatabasePlace.isAvailable)) struct ShardRequestsTests {
  private let requests: ShardRequests

  init() throws {
    let place = try DatabasePlace()
    requests = ShardRequests(place.pool, shard: Int(place.shard))
  }

  @Test func aRequestIsTakenOnceAndAnsweredOnce() throws {
    try requests.submit([1, 2], as: "first", from: "alice@desk")
    try requests.submit([3], as: "second", from: "bob@desk")
    let taken = try #require(try requests.claim(as: "w"))
    #expect(taken.id == "first" && taken.body == [1, 2] && taken.account == "alice@desk")
    let known: Set<String> = ["first", "second"]
    #expect(try requests.claim(as: "w", besides: ["first"])?.id == "second")
    #expect(try requests.claim(as: "w", besides: known) == nil)
    #expect(try requests.answer(to: "first") == nil)
    try requests.reply([9], to: "first")
    #expect(try requests.answer(to: "first") == [9])
    #expect(try requests.answer(to: "first") == nil, "it is forgotten")
  }

  /// Who gave up must know whether anybody is at it.
  @Test func onlyWhatNobodyHasTakenIsWithdrawn() throws {
    try requests.submit([1], as: "one", from: "a")
    #expect(try requests.withdraw("one"))
    #expect(try requests.claim(as: "w") == nil)
    try requests.submit([2], as: "two", from: "a")
    _ = try requests.claim(as: "w")
    #expect(try !requests.withdraw("two"))
  }

  /// An answer of the database may be lost, and a worker not know that it has taken a request; another one never gets it.
  @Test func whatWasTakenUnawaresIsFoundAgain() throws {
    try requests.submit([1], as: "one", from: "a")
    _ = try requests.claim(as: "w")
    #expect(try requests.claim(as: "x") == nil)
    #expect(try requests.claim(as: "w", besides: ["one"]) == nil)
    #expect(try requests.claim(as: "w")?.id == "one")
    try requests.reply([2], to: "one")
    #expect(try requests.claim(as: "w") == nil)
  }

  @Test func workersAreCountedUntilTheyLeave() throws {
    let pool = try DatabasePlace.makeDatabase()
    _ = try DatabaseSchema(pool).migrate(shards: 3)
    let (one, two) = (ShardFleet(pool, worker: "one"), ShardFleet(pool, worker: "two"))
    #expect(try one.checkIn(inputs: "rules=1").workers.map(\.name) == ["one"])
    #expect(try two.checkIn().workers.map(\.name) == ["one", "two"])
    #expect(try two.checkIn(inputs: "rules=2").workers.map(\.inputs) == ["rules=1", "rules=2"])
    #expect(try one.checkIn().shards.map(\.shard) == [0, 1, 2])
    try two.leave()
    #expect(try one.checkIn().workers.map(\.name) == ["one"])
  }
}
