/// The tables of a database that holds ledgers, and their version.
///
/// Uses only what PostgreSQL, Citus, CockroachDB and YugabyteDB all support: no sequences, no advisory locks, no
/// `NOTIFY`, no `COPY`.
package struct DatabaseSchema: Sendable {
  /// The version that this program writes.
  package static let version: Int64 = 5
  /// The number of this program's writing rules. Raised with each change after which older programs must not write
  /// beside this one.
  package static let program: Int64 = 2

  private let pool: DatabasePool

  /// Creates access to the schema behind a pool of connections.
  package init(_ pool: DatabasePool) { self.pool = pool }

  /// The database's description of itself.
  package struct Cluster: Equatable, Sendable {
    /// The schema's version.
    package let schema: Int64
    /// The number of shards that the users are divided among.
    package let shards: Int64
  }

  /// Returns the cluster's row; nil if the database holds no ledgers.
  package func cluster() throws(DatabaseError) -> Cluster? {
    try pool.withConnection { connection throws(DatabaseError) in
      do throws(DatabaseError) {
        let rows = try connection.run(
          DatabaseStatement("SELECT schema, shards FROM rewards.cluster WHERE id = 1"),
          within: pool.limitSeconds)
        return rows.count == 0 ? nil : Cluster(schema: rows.number(0, 0), shards: rows.number(0, 1))
      } catch {
        // No such table, no such schema.
        if error.state == "42P01" || error.state == "3F000" { return nil }
        throw error
      }
    }
  }

  /// Creates the tables or brings them up to date; returns whether anything changed. With `refusesOlder`, no program
  /// older than this one can take a ledger from now on.
  ///
  /// Throws ``DatabaseError`` with state `0A000` if the schema is newer than this program, or the tables have another
  /// number of shards: where users are is decided only once.
  package func migrate(
    shards: Int64? = nil, refusesOlder: Bool = false
  ) throws(DatabaseError) -> Bool {
    for _ in 0..<Self.triesBesideOthers {
      do throws(DatabaseError) {
        return try migrateAlone(shards, refusesOlder)
      } catch {
        // Another process is creating the same: it exists, or soon will.
        guard Self.statesOfAnother.contains(error.state) else { throw error }
      }
    }
    return try migrateAlone(shards, refusesOlder)
  }

  private static let triesBesideOthers = 3
  /// The states for a schema, table, column or row that already exists (PostgreSQL 15, appendix A).
  private static let statesOfAnother: Set<String> = ["23505", "42P06", "42P07", "42701"]

  private func migrateAlone(
    _ shards: Int64?, _ refusesOlder: Bool
  ) throws(DatabaseError) -> Bool {
    var statements: [String] = []
    if let known = try cluster() {
      if known.schema > Self.version { throw Self.newer(known.schema) }
      if let shards, shards != known.shards {
        throw DatabaseError(
          state: "0A000",
          message: "the users are divided among \(known.shards) shards, which cannot be changed; "
            + "only a ledger with all users can be divided again, with `rewards ledger import`")
      }
      if known.schema < Self.version {
        let missing = Self.versions[Int(known.schema)...]
        statements = missing.joined() + ["UPDATE rewards.cluster SET schema = \(Self.version)"]
      }
    } else {
      statements = Self.versions.joined() + Self.rows(ofShards: shards ?? 1)
      // The server checks the right to create schemas before it checks whether the schema exists: the account may have
      // been given its own.
      if try !hasSchema() { statements.insert("CREATE SCHEMA IF NOT EXISTS rewards", at: 0) }
    }
    if refusesOlder {
      statements.append(
        "UPDATE rewards.cluster SET min_program = \(Self.program) WHERE min_program < \(Self.program)"
      )
    }
    if statements.isEmpty { return false }
    try pool.withConnection { connection throws(DatabaseError) in
      try connection.run(
        (["BEGIN"] + statements + ["COMMIT"]).map { DatabaseStatement($0) },
        within: pool.limitSeconds)
    }
    return true
  }

  private func hasSchema() throws(DatabaseError) -> Bool {
    try pool.withConnection { connection throws(DatabaseError) in
      try connection.run(
        DatabaseStatement("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'rewards'"),
        within: pool.limitSeconds
      ).count > 0
    }
  }

  private static func rows(ofShards shards: Int64) -> [String] {
    ["INSERT INTO rewards.cluster (id, schema, shards) VALUES (1, \(version), \(shards))"]
      + (0..<shards).map {
        "INSERT INTO rewards.shard (shard, token, expires, seq, hash, at)"
          + " VALUES (\($0), 0, now(), 0, decode('\(String(repeating: "0", count: 64))', 'hex'), \(ShardHead.origin.atMilliseconds))"
      }
  }

  /// Returns the cluster's row; throws unless the database has tables of this program's version.
  @discardableResult
  package func require() throws(DatabaseError) -> Cluster {
    guard let cluster = try cluster() else {
      throw DatabaseError(
        state: "3F000",
        message: "the database has no ledger tables: run `rewards store migrate`")
    }
    if cluster.schema > Self.version { throw Self.newer(cluster.schema) }
    if cluster.schema < Self.version {
      throw DatabaseError(
        state: "3F000",
        message:
          "the tables have version \(cluster.schema), but this program writes \(Self.version): "
          + "stop every writer and run `rewards store migrate`")
    }
    return cluster
  }

  /// Throws if this program is too old to write to the database.
  static func requireProgram(
    _ connection: DatabaseConnection, within seconds: Double
  ) throws(DatabaseError) {
    let rows = try connection.run(
      DatabaseStatement("SELECT min_program FROM rewards.cluster WHERE id = 1"), within: seconds)
    guard rows.count == 1, rows.number(0, 0) <= program else {
      throw DatabaseError(
        state: "0A000",
        message: "this program is too old to write here: run a newer one")
    }
  }

  private static func newer(_ schema: Int64) -> DatabaseError {
    DatabaseError(
      state: "0A000",
      message: "the tables have version \(schema), which a later version of this program created; "
        + "this one supports \(version)")
  }

  /// The statements of each version, from the first.
  private static let versions = [
    firstVersion, secondVersion, thirdVersion, fourthVersion, fifthVersion,
  ]

  /// The statements of the first version, in order.
  static let firstVersion = [
    """
    CREATE TABLE rewards.cluster (
      id int4 PRIMARY KEY, schema int4 NOT NULL, shards int4 NOT NULL)
    """,
    """
    CREATE TABLE rewards.shard (
      shard int4 PRIMARY KEY, token int8 NOT NULL, holder text, process text, nonce int8, expires timestamptz NOT NULL,
      seq int8 NOT NULL, hash bytea NOT NULL, at int8 NOT NULL)
    """,
    """
    CREATE TABLE rewards.chunk (
      shard int4 NOT NULL, segment int8 NOT NULL, start int8 NOT NULL, size int4 NOT NULL,
      first int8 NOT NULL, last int8 NOT NULL, codec int2 NOT NULL, bytes bytea NOT NULL,
      PRIMARY KEY (shard, segment, start))
    """,
    """
    CREATE TABLE rewards.seal (
      shard int4 NOT NULL, seq int8 NOT NULL, hash bytea NOT NULL, token int8 NOT NULL,
      PRIMARY KEY (shard, seq))
    """,
    """
    CREATE TABLE rewards.grant_key (
      shard int4 NOT NULL, kday int4 NOT NULL, key text NOT NULL, seq int8 NOT NULL,
      PRIMARY KEY (shard, kday, key))
    """,
    """
    CREATE TABLE rewards.file (
      shard int4 NOT NULL, name text NOT NULL, id int8 NOT NULL, PRIMARY KEY (shard, name))
    """,
    """
    CREATE TABLE rewards.piece (
      shard int4 NOT NULL, file int8 NOT NULL, start int8 NOT NULL, bytes bytea NOT NULL,
      PRIMARY KEY (shard, file, start))
    """,
  ]

  /// The statements of the second version.
  static let secondVersion = [
    "ALTER TABLE rewards.cluster ADD COLUMN min_program int4 NOT NULL DEFAULT 0",
    "CREATE TABLE rewards.worker (name text PRIMARY KEY, seen timestamptz NOT NULL)",
    """
    CREATE TABLE rewards.request (
      shard int4 NOT NULL, id text NOT NULL, at timestamptz NOT NULL, account text NOT NULL,
      taker text, body bytea NOT NULL, answer bytea, PRIMARY KEY (shard, id))
    """,
  ]

  /// The statements of the third version: what shards tell each other before they close a day.
  static let thirdVersion = [
    """
    CREATE TABLE rewards.streaks (
      shard int4 NOT NULL, zone text NOT NULL, day text NOT NULL, ended int8 NOT NULL,
      streaks int8 NOT NULL, broken int8 NOT NULL, counted int8, is_open int4 NOT NULL, PRIMARY KEY (shard, zone, day))
    """,
    """
    CREATE TABLE rewards.told (
      shard int4 PRIMARY KEY, at int8 NOT NULL, usual_streaks int8 NOT NULL,
      usual_broken int8 NOT NULL, counted int8, attention int4 NOT NULL)
    """,
  ]

  /// The statements of the fourth version: how long not to call the app's API, and a column that the first programs of
  /// the third version did not create.
  static let fourthVersion = [
    "ALTER TABLE rewards.cluster ADD COLUMN api_pause int8 NOT NULL DEFAULT 0",
    "ALTER TABLE rewards.streaks ADD COLUMN IF NOT EXISTS ended int8 NOT NULL DEFAULT 0",
  ]

  /// The statements of the fifth version: each worker's settings.
  static let fifthVersion = [
    "ALTER TABLE rewards.worker ADD COLUMN inputs text NOT NULL DEFAULT ''"
  ]
}
