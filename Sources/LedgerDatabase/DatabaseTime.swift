internal import Foundations

/// The time by a database's clock, carried forward by the machine's monotonic clock.
///
/// All workers of a database use one clock, so that none closes a day early because its own is wrong. Safe from any thread.
package final class DatabaseTime: Sendable {
  /// A reading of the database's clock, and when it was taken.
  private struct Reading {
    /// Seconds by the worker's clock.
    var own: Double
    /// Seconds since 1970 by the database's clock.
    var database: Double
  }

  /// The longest acceptable delay: an answer that took longer is too inaccurate.
  private static let doubtSeconds = 2.0

  private let time: WorkerTime
  private let reading = Lock<Reading?>(nil)

  /// Creates a clock with no reading yet.
  package init(_ time: WorkerTime) { self.time = time }

  /// Returns seconds since 1970; nil before the first answer.
  package func now() -> Double? {
    let own = time.now()
    return reading.withLock { $0 }.map { $0.database + (own - $0.own) }
  }

  /// Reads the database's clock; throws if the database does not answer. Blocks.
  package func synchronize(with pool: DatabasePool) throws(DatabaseError) {
    try pool.withConnection { connection throws(DatabaseError) in
      let sent = time.now()
      let rows = try connection.run(
        DatabaseStatement("SELECT (extract(epoch FROM now()) * 1000)::int8"),
        within: pool.limitSeconds)
      observe(milliseconds: rows.number(0, 0), sent: sent)
    }
  }

  /// Records the database's time at the beginning of a transaction that was sent at `sent` and is answered now.
  ///
  /// Ignores a reading that agrees with the known time within the accuracy of the round trip, so that time runs evenly.
  func observe(milliseconds: Int64, sent: Double) {
    let received = time.now()
    guard received - sent <= Self.doubtSeconds else { return }
    let heard = Reading(own: sent, database: Double(milliseconds) / 1000)
    reading.withLock { known in
      if let old = known {
        // When the request was sent, the database's clock may have shown less by up to this much; it shows whole milliseconds.
        let parted = heard.database - (old.database + (sent - old.own))
        if parted >= -0.002, parted <= received - sent + 0.002 { return }
      }
      known = Reading(own: (sent + received) / 2, database: heard.database)
    }
  }
}
