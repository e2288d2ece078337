public import CivilTime
public import PostgreSQL

/// Until when the app's API has asked not to be asked, as all workers of a database know it. Blocks.
public struct SharedPause: Sendable {
  private let pool: DatabasePool
  private let longestSeconds: Int64

  /// The pause that the workers behind a pool of connections share. None is longer than `longestSeconds`: a moment that lies further
  /// ahead of another one was told by a clock that has been set back since.
  public init(_ pool: DatabasePool, longestSeconds: Int64) {
    (self.pool, self.longestSeconds) = (pool, longestSeconds)
  }

  /// Tells until when this worker was asked to wait, if it was, and returns the latest moment that any was told, to the second; the
  /// beginning of 1970 when none ever was.
  public func exchange(_ own: Instant?) throws(DatabaseError) -> Instant {
    try pool.withConnection { connection throws(DatabaseError) in
      if let own {
        // Not a part of a second less than was asked for.
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
