import Foundations
import LedgerStore
import TestSupport
import Testing

@testable import LedgerDatabase

/// Tables are made, brought up to date and refused by their versions.
@Suite(.offThePool, .enabled(if: DatabasePlace.isAvailable)) struct DatabaseSchemaTests {
  private func run(_ statement: String, _ pool: DatabasePool) throws {
    try pool.withConnection { connection throws(DatabaseError) in
      _ = try connection.run(DatabaseStatement(statement), within: 120)
    }
  }

  @Test func tablesOfTheFirstVersionAreBroughtUpToDate() throws {
    let pool = try DatabasePlace.makeDatabase()
    // Made by whoever may make schemas.
    try run("CREATE SCHEMA rewards", pool)
    for statement in DatabaseSchema.firstVersion { try run(statement, pool) }
    try run("INSERT INTO rewards.cluster (id, schema, shards) VALUES (1, 1, 1)", pool)
    let schema = DatabaseSchema(pool)
    #expect(throws: DatabaseError.self) { try schema.require() }
    #expect(try schema.migrate())
    #expect(try schema.require() == .init(schema: DatabaseSchema.version, shards: 1))
    #expect(try !schema.migrate())
    _ = try ShardFleet(pool, worker: "w").checkIn()
  }

  @Test func severalMayMakeTheTablesAtOnce() throws {
    let pool = try DatabasePlace.makeDatabase()
    let changes = try Concurrently.map(4, threads: 4) { _ in
      try DatabaseSchema(pool).migrate(shards: 2)
    }
    #expect(changes.count { $0 } == 1)
    #expect(try DatabaseSchema(pool).require() == .init(schema: DatabaseSchema.version, shards: 2))
  }

  /// The first programs of the third version made a table without a column that later ones use.
  @Test func tablesOfTheFirstProgramsOfTheThirdVersionAreMadeWhole() throws {
    let pool = try DatabasePlace.makeDatabase()
    let schema = DatabaseSchema(pool)
    #expect(try schema.migrate())
    try run("ALTER TABLE rewards.streaks DROP COLUMN ended", pool)
    try run("ALTER TABLE rewards.cluster DROP COLUMN api_pause", pool)
    try run("ALTER TABLE rewards.worker DROP COLUMN inputs", pool)
    try run("UPDATE rewards.cluster SET schema = 3", pool)
    #expect(try schema.migrate())
    #expect(try ShardStreaks(pool, shard: 0).openElsewhere().isEmpty)
    _ = try SharedPause(pool, longestSeconds: 3_600).exchange(nil)
  }

  @Test func theNumberOfShardsIsDecidedOnce() throws {
    let schema = DatabaseSchema(try DatabasePlace.makeDatabase())
    #expect(try schema.migrate(shards: 4))
    #expect(try !schema.migrate(shards: 4))
    let error = #expect(throws: DatabaseError.self) { try schema.migrate(shards: 5) }
    #expect(error?.message.contains("4 shards") == true)
    #expect(try schema.require().shards == 4)
  }

  /// Who is too old gets no lease, and is told so at once.
  @Test func anOlderProgramTakesNoLedger() throws {
    let pool = try DatabasePlace.makeDatabase()
    _ = try DatabaseSchema(pool).migrate(refusesOlder: true)
    let files = DatabaseFiles(pool, worker: "w", time: .machine)
    _ = try files.holdLock(of: "\(files.folder(ofShard: 0))/lock")
    try run("UPDATE rewards.cluster SET min_program = min_program + 1", pool)
    let newer = DatabaseFiles(pool, worker: "x", time: .machine)
    let error = #expect(throws: FileError.self) {
      try newer.holdLock(of: "\(newer.folder(ofShard: 0))/lock")
    }
    #expect(error?.operation.contains("too old") == true)
  }
}
