import CivilTime
import TestSupport
import Testing

/// Schedules against tables made by cronsim.
@Suite(.offThePool) struct ScheduleTableTests {
  @Test func firesAreThoseOfTheTable() throws {
    let rows = try TestTables.rows("cron")
    #expect(rows.count > 500)
    for row in rows {
      let schedule = try Schedule(row[0])
      let zone = try TestTables.zone(row[1])
      var at = Instant(seconds: try #require(Int64(row[2])))
      for expected in row[3...] {
        let next = try #require(schedule.next(after: at, in: zone), "\(row)")
        #expect(String(next.seconds) == expected, "\(row)")
        at = next
      }
    }
  }
}
