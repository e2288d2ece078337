import PostgreSQL
import TestSupport
import Testing

@testable import LedgerDatabase

/// A lease that cannot be renewed is still held, and in doubt.
@Suite(.offThePool, .enabled(if: DatabasePlace.isAvailable)) struct RenewalTests {
  @Test func aFailingRenewalIsToldUntilOneSucceeds() throws {
    let pool = try DatabasePlace.makeDatabase()
    _ = try DatabaseSchema(pool).migrate()
    let writer = ShardWriter(
      shard: 0, pool: pool, worker: "w", time: .machine, clock: DatabaseTime(.machine))
    #expect(writer.begin())
    try writer.acquire()
    let token = try #require(writer.token)
    writer.renew()
    #expect(writer.renewalFailure == nil)
    try rename("rewards.shard", to: "away", pool)
    writer.renew()
    #expect(writer.renewalFailure?.state == "42P01")
    #expect(writer.token == token, "nobody has taken it")
    try rename("rewards.away", to: "shard", pool)
    writer.renew()
    #expect(writer.renewalFailure == nil && writer.token == token)
  }

  private func rename(_ table: String, to name: String, _ pool: DatabasePool) throws {
    try pool.withConnection { connection throws(DatabaseError) in
      _ = try connection.run(
        DatabaseStatement("ALTER TABLE \(table) RENAME TO \(name)"), within: 120)
    }
  }
}
