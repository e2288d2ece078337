public import PostgreSQL
internal import Threading

/// What time it is by a database's clock, carried on by the machine's clock since its start.
///
/// All workers of a database judge by one clock, so that none closes a day early because its own is wrong. Safe from any thread.
public final class DatabaseTime: Sendable {
  /// What the database's clock showed, and when.
  private struct Reading {
    /// Seconds of the worker's clock.
    var own: Double
    /// Seconds since 1970 by the database's.
    var database: Double
  }

  /// An answer that took longer tells too little.
  private static let doubtSeconds = 2.0

  private let time: WorkerTime
  private let reading = Lock<Reading?>(nil)

  /// The time of a database that was not asked yet.
  public init(_ time: WorkerTime) { self.time = time }

  /// Seconds since 1970; nil before an answer came.
  public func now() -> Double? {
    let own = time.now()
    return reading.withLock { $0 }.map { $0.database + (own - $0.own) }
  }

  /// Asks the database; throws when it does not answer. Blocks.
  public func ask(_ pool: DatabasePool) throws(DatabaseError) {
    try pool.withConnection { connection throws(DatabaseError) in
      let sent = time.now()
      let rows = try connection.run(
        DatabaseStatement("SELECT (extract(epoch FROM now()) * 1000)::int8"),
        within: pool.limitSeconds)
      hear(milliseconds: rows.number(0, 0), sent: sent)
    }
  }

  /// Takes in what the database's clock showed at the beginning of a transaction that was sent at `sent`, and is answered now.
  ///
  /// A reading that agrees with what was known, as far as the way there and back leaves it open, changes nothing: time runs evenly.
  func hear(milliseconds: Int64, sent: Double) {
    let received = time.now()
    guard received - sent <= Self.doubtSeconds else { return }
    let heard = Reading(own: sent, database: Double(milliseconds) / 1000)
    reading.withLock { known in
      if let old = known {
        // When it was sent, the database's clock may have shown this much less; it shows whole milliseconds.
        let parted = heard.database - (old.database + (sent - old.own))
        if parted >= -0.002, parted <= received - sent + 0.002 { return }
      }
      known = Reading(own: (sent + received) / 2, database: heard.database)
    }
  }
}
