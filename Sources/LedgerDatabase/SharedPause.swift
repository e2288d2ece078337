package import CivilTime

/// The time until which the app's API must not be called, shared by all workers of a database. Blocks.
package struct SharedPause: Sendable {
  private let pool: DatabasePool
  private let longestSeconds: Int64

  /// Creates access to the pause shared by the workers of a database. No pause is longer than `longestSeconds`: an end further
  /// ahead than that came from a clock that has since been set back.
  package init(_ pool: DatabasePool, longestSeconds: Int64) {
    (self.pool, self.longestSeconds) = (pool, longestSeconds)
  }

  /// Reports the end of this worker's own pause, if any, and returns the latest end that any worker reported, to the second; the
  /// beginning of 1970 if none ever did.
  package func exchange(_ own: Instant?) throws(DatabaseError) -> Instant {
    try pool.withConnection { connection throws(DatabaseError) in
      if let own {
        // Never a fraction of a second less than requested.
        let seconds = own.seconds + (own.nanoseconds > 0 ? 1 : 0)
        _ = try connection.run(
          DatabaseStatement(
            """
            UPDATE rewards.cluster SET api_pause = $1
            WHERE id = 1 AND (api_pause < $1 OR api_pause > $1 + $2)
            """, [.number(seconds), .number(longestSeconds)]), within: pool.limitSeconds)
      }
      let rows = try connection.run(
        DatabaseStatement("SELECT api_pause FROM rewards.cluster WHERE id = 1"),
        within: pool.limitSeconds)
      return Instant(seconds: rows.count == 1 ? rows.number(0, 0) : 0)
    }
  }
}
