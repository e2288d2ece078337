import Dispatch
import Foundations
import TestSupport
import Testing

@testable import LedgerDatabase

/// A lease that cannot be renewed is still held, and in doubt.
@Suite(.offThePool, .enabled(if: DatabasePlace.isAvailable)) struct RenewalTests {
  @Test func aFailingRenewalIsToldUntilOneSucceeds() throws {
    let writer = try makeWriter()
    let pool = writer.pool
    #expect(writer.reset())
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

  /// All connections but one are in use, as by commits that hang: other work waits, a renewal does not.
  @Test func aLeaseIsRenewedWhateverElseIsUnderWay() throws {
    let writer = try makeWriter()
    let pool = writer.pool
    #expect(writer.reset())
    try writer.acquire()
    let (taken, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let used = DatabasePool.size - 1
    for _ in 0..<used {
      ownThread(named: "hangs") {
        try? pool.withConnection { _ in
          taken.signal()
          over.wait()
        }
      }
    }
    for _ in 0..<used { taken.wait() }
    #expect(throws: DatabaseError.self) {
      try pool.withConnection(patienceSeconds: 0) { _ in }
    }
    writer.renew()
    #expect(writer.renewalFailure == nil)
    for _ in 0..<used { over.signal() }
    try pool.withConnection { _ in }
  }

  private func makeWriter() throws -> ShardWriter {
    let pool = try DatabasePlace.makeDatabase()
    _ = try DatabaseSchema(pool).migrate()
    return ShardWriter(
      shard: 0, pool: pool, worker: "w", time: .machine, clock: DatabaseTime(.machine))
  }

  private func rename(_ table: String, to name: String, _ pool: DatabasePool) throws {
    try pool.withConnection { connection throws(DatabaseError) in
      _ = try connection.run(
        DatabaseStatement("ALTER TABLE \(table) RENAME TO \(name)"), within: 120)
    }
  }
}
