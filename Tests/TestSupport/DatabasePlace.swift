package import LedgerDatabase

/// A shard for one test, in the database that all tests of this process share.
package struct DatabasePlace: Sendable {
  /// Connections to the database.
  package let pool: DatabasePool
  /// The shard's number, nobody else's.
  package let shard: Int64

  /// Whether a server is installed.
  package static var isAvailable: Bool { PostgresServer.shared != nil }

  /// There are so many shards.
  private static let shards: Int64 = 5_000

  /// How long a busy machine may take, in seconds.
  private static let patience = 120.0

  /// Made once: tests begin side by side.
  private static let pool = Result { () throws -> DatabasePool in
    guard let server = PostgresServer.shared else { throw PostgresServer.Missing() }
    let pool = DatabasePool(try DatabaseAddress(server.address), limitSeconds: patience)
    _ = try DatabaseSchema(pool).migrate(shards: shards)
    return pool
  }

  /// A shard that nobody has used.
  package init() throws {
    pool = try Self.pool.get()
    shard = PostgresServer.shared?.makeNumber() ?? 0
  }

  /// Connections to a database of its own, without tables.
  package static func makeDatabase() throws -> DatabasePool {
    DatabasePool(try DatabaseAddress(makeDatabaseAddress()), limitSeconds: patience)
  }

  /// The address of such a database.
  package static func makeDatabaseAddress() throws -> String {
    guard let server = PostgresServer.shared else { throw PostgresServer.Missing() }
    let name = "fresh_\(server.makeNumber())"
    try DatabasePool(try DatabaseAddress(server.address), limitSeconds: patience).withConnection {
      connection throws(DatabaseError) in
      _ = try connection.run(DatabaseStatement("CREATE DATABASE \(name)"), within: patience)
    }
    return server.address.replacing("/postgres", with: "/\(name)")
  }

  /// The files of one worker: what another start of the program would have.
  package func makeFiles(worker: String = "worker") -> DatabaseFiles {
    DatabaseFiles(pool, worker: worker, time: .machine)
  }

  /// The database's address.
  package var address: String { PostgresServer.shared?.address ?? "" }

  /// The shard's folder in these files.
  package var folder: String { makeFiles().folder(ofShard: shard) }
}
