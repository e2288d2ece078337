import Foundations
import LedgerDatabase
import TestSupport
import Testing

/// What a server warns of keeps nothing from being done, and what a commit relies upon holds whatever others have set.
@Suite(.offThePool, .enabled(if: DatabasePlace.isAvailable)) struct WarningTests {
  private static let seconds = 120.0

  @Test func aWarningIsToldAndTheCommitCounts() throws {
    let told = Lock<[String]>([])
    let address = try DatabaseAddress(DatabasePlace.makeDatabaseAddress())
    let connection = try DatabaseConnection(address, within: Self.seconds) { words in
      told.withLock { $0.append(words) }
    }
    let warning = DatabaseStatement("DO $$ BEGIN RAISE WARNING 'must be vacuumed'; END $$")
    var rows: [Int: Int64] = [:]
    try connection.run(
      [
        DatabaseStatement("BEGIN"), DatabaseStatement("CREATE TABLE kept AS SELECT 7::int8 AS n"),
        warning, DatabaseStatement("SELECT n FROM kept"), DatabaseStatement("COMMIT"),
      ], within: Self.seconds
    ) { if $1.count > 0 { rows[$0] = $1.number(0, 0) } }
    #expect(rows == [3: 7])
    #expect(told.withLock { $0 } == ["must be vacuumed"])
    #expect(connection.isIdle)
    _ = try connection.run(warning, within: Self.seconds)
    let kept = try connection.run(DatabaseStatement("SELECT n FROM kept"), within: Self.seconds)
    #expect(kept.number(0, 0) == 7)
  }

  @Test func eachTransactionSetsWhatItReliesUpon() throws {
    let pool = try DatabasePlace.makeDatabase()
    let settings =
      "current_setting('client_min_messages') || ' ' || current_setting('synchronous_commit')"
    try pool.withConnection { connection throws(DatabaseError) in
      let name = try connection.run(
        DatabaseStatement("SELECT current_database()::text"), within: Self.seconds
      ).text(0, 0)
      for setting in ["client_min_messages = error", "synchronous_commit = off"] {
        _ = try connection.run(
          DatabaseStatement("ALTER DATABASE \(name) SET \(setting)"), within: Self.seconds)
      }
    }
    let connection = try DatabaseConnection(pool.address, within: Self.seconds)
    var found: [Int: String] = [:]
    let statements = [
      "BEGIN", "CREATE TABLE seen AS SELECT \(settings) AS words", "SELECT words FROM seen",
      "COMMIT",
    ].map { DatabaseStatement($0) }
    try connection.run(statements, within: Self.seconds) {
      if $1.count > 0 { found[$0] = $1.text(0, 0) }
    }
    _ = try connection.run(
      DatabaseStatement("UPDATE seen SET words = words || ', ' || \(settings)"),
      within: Self.seconds)
    let after = try connection.run(
      DatabaseStatement("SELECT words || '; ' || \(settings) FROM seen"), within: Self.seconds)
    #expect(found == [2: "warning on"])
    // Nothing stays on the connection.
    #expect(after.text(0, 0) == "warning on, warning on; error off")
  }
}
