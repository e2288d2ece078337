import CivilTime
import TestSupport
import Testing

@Suite(.offThePool) struct ScheduleTests {
  /// Walks from fire to fire; each as `nominal local time=instant`.
  private func fires(
    _ expression: String, _ zone: String, from: String, count: Int
  ) throws -> [String] {
    let schedule = try Schedule(expression)
    let zone = try TestTables.zone(zone)
    var fire = schedule.nextFire(after: try TestTables.instant(from), in: zone)
    var found: [String] = []
    while let current = fire, found.count < count {
      found.append("\(current.nominalLocal)=\(current.instant)")
      fire = schedule.nextFire(after: current, in: zone)
    }
    return found
  }

  @Test(arguments: [
    // Field, columns, expression.
    (ScheduleField.minute, 1...2, "60 * * * *"), (.minute, 3...3, "*/0 * * * *"),
    (.hour, 3...4, "0 24 * * *"), (.dayOfMonth, 5...5, "0 0 0 * *"),
    (.dayOfMonth, 7...8, "0 0 1,32 * *"), (.month, 7...8, "0 0 * 13 *"),
    (.weekday, 9...9, "0 0 * * 8"), (.minute, 1...4, "30-5 * * * *"),
    (.weekday, 9...15, "0 0 * * fri-sun"), (.minute, 3...3, "1, * * * *"),
    (.minute, 1...1, ",1 * * * *"), (.minute, 1...5, "1-2-3 * * * *"), (.hour, 3...3, "0 ? * * *"),
    (.dayOfMonth, 5...5, "0 0 L * *"), (.weekday, 9...11, "0 0 * * 1#2"),
    (.month, 7...13, "0 0 * january *"), (.minute, 1...5, "00005 * * * *"),
    (.dayOfMonth, 5...6, "0 0 30 2 *"), (.dayOfMonth, 5...6, "0 0 31 4,6,9,11 *"),
    (.dayOfMonth, 5...9, "0 0 30,31 feb */2"), (.minute, 1...3, "5\u{A0} * * * *"),
  ])
  func wrongFieldsAreRefusedWithTheirPlace(
    field: ScheduleField, columns: ClosedRange<Int>, expression: String
  ) {
    let error = #expect(throws: ScheduleError.self) { try Schedule(expression) }
    #expect(error?.field == field && error?.columns == columns, "\(String(describing: error))")
  }

  @Test(arguments: [
    "", " ", "* * * *", "* * * * * *", "0 0 * * * 2026", "@reboot", "@", "@daily extra",
    "0 0 * *\n*",
  ])
  func wrongExpressionsAreRefused(expression: String) {
    #expect(throws: ScheduleError.self) { try Schedule(expression) }
  }

  @Test func errorsTellPlaceCauseAndRemedy() {
    let error = #expect(throws: ScheduleError.self) { try Schedule("0 0 * * fri-sun") }
    #expect(
      error?.description
        == "schedule \"0 0 * * fri-sun\", weekday, columns 9–15: a range that ends before it "
        + "begins; write 5-7, where 7 is Sunday")
    #expect(throws: ScheduleError.self) { try Schedule(String(repeating: "1,", count: 300)) }
  }

  @Test(arguments: [
    ("@hourly", "0 * * * *"), ("@daily", "0 0 * * *"), ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"), ("@monthly", "0 0 1 * *"), ("@yearly", "0 0 1 1 *"),
    ("@ANNUALLY", "0 0 1 1 *"), ("\t0  0 * * 7 ", "0 0 * * 0"), ("0 0 * * 5-7", "0 0 * * 0,5,6"),
    ("0 0 * DEC Mon", "0 0 * 12 1"), ("50/5 0 * * *", "50,55 0 * * *"),
    ("0 0 * * 0/3", "0 0 * * 0,3,6"), ("0 08 * * *", "0 8 * * *"),
  ])
  func spellingsAreEqual(left: String, right: String) throws {
    let zone = try TestTables.zone("Europe/London")
    let (one, other) = (try Schedule(left), try Schedule(right))
    var at = try TestTables.instant("2026-11-20T12:34:56.5Z")
    for _ in 0..<20 {
      let next = try #require(one.next(after: at, in: zone))
      #expect(next == other.next(after: at, in: zone))
      at = next
    }
  }

  @Test func eitherDayIsEnoughWhenBothAreRestricted() throws {
    let either = try fires("0 0 13 * 5", "UTC", from: "2026-11-01T00:00:00Z", count: 3)
    #expect(
      either == [
        "2026-11-06T00:00=2026-11-06T00:00:00Z", "2026-11-13T00:00=2026-11-13T00:00:00Z",
        "2026-11-20T00:00=2026-11-20T00:00:00Z",
      ])
    // A step after * selects, but does not restrict: both must match.
    let both = try fires("0 0 */2 * 5", "UTC", from: "2026-11-01T00:00:00Z", count: 1)
    #expect(both == ["2026-11-13T00:00=2026-11-13T00:00:00Z"])
    // An impossible date beside a weekday leaves the weekday.
    let weekday = try fires("0 0 30 2 1", "UTC", from: "2026-01-01T00:00:00Z", count: 1)
    #expect(weekday == ["2026-02-02T00:00=2026-02-02T00:00:00Z"])
  }

  @Test func severalTimesInAGapKeepTheirNames() throws {
    let found = try fires(
      "15,45 2 * * *", "America/New_York", from: "2026-03-08T00:00:00Z", count: 3)
    #expect(
      found == [
        "2026-03-08T02:15=2026-03-08T07:00:00Z", "2026-03-08T02:45=2026-03-08T07:00:00Z",
        "2026-03-09T02:15=2026-03-09T06:15:00Z",
      ])
  }

  /// Samoa went from 29 to 31 December 2011. That a job does not run for the date between is the job's affair.
  @Test func aTimeOnASkippedDateFiresAfterTheGap() throws {
    let found = try fires("30 0 * * *", "Pacific/Apia", from: "2011-12-29T00:00:00Z", count: 3)
    #expect(
      found == [
        "2011-12-29T00:30=2011-12-29T10:30:00Z", "2011-12-30T00:30=2011-12-30T10:00:00Z",
        "2011-12-31T00:30=2011-12-30T10:30:00Z",
      ])
  }

  @Test func aRepeatedDateFiresOnce() throws {
    let found = try fires(
      "30 23 * * *", "Pacific/Kwajalein", from: "1969-09-29T00:00:00Z", count: 3)
    #expect(
      found.map { $0.prefix(10) } == ["1969-09-29", "1969-09-30", "1969-10-01"])
  }

  @Test func changesThatAreNoWholeHoursAreMet() throws {
    // 44 minutes and 30 seconds were left out.
    let nominal = try fires("0 0 * * *", "Africa/Monrovia", from: "1972-01-06T12:00:00Z", count: 2)
    #expect(
      nominal == [
        "1972-01-07T00:00=1972-01-07T00:44:30Z", "1972-01-08T00:00=1972-01-08T00:00:00Z",
      ])
    let elapsed = try fires(
      "*/20 2 * * *", "Africa/Monrovia", from: "1972-01-06T12:00:00Z", count: 1)
    #expect(elapsed == ["1972-01-07T02:00=1972-01-07T02:00:00Z"])
  }

  @Test func elapsedSchedulesSkipGapsAndRepeatOverlaps() throws {
    let gap = try fires("*/30 * * * *", "Europe/Berlin", from: "2026-03-29T00:30:00Z", count: 2)
    #expect(
      gap == ["2026-03-29T03:00=2026-03-29T01:00:00Z", "2026-03-29T03:30=2026-03-29T01:30:00Z"])
    let overlap = try fires("0 * * * *", "Europe/Berlin", from: "2026-10-24T23:30:00Z", count: 3)
    #expect(
      overlap == [
        "2026-10-25T02:00=2026-10-25T00:00:00Z", "2026-10-25T02:00=2026-10-25T01:00:00Z",
        "2026-10-25T03:00=2026-10-25T02:00:00Z",
      ])
  }

  @Test func rareDatesAreFoundAndTheEndOfTimeIsToo() throws {
    // 29 February on a Sunday: the step makes the day no restriction, so both must match.
    let rare = try fires("0 0 */28 2 0", "UTC", from: "2026-02-02T00:00:00Z", count: 2)
    #expect(
      rare == ["2032-02-01T00:00=2032-02-01T00:00:00Z", "2032-02-29T00:00=2032-02-29T00:00:00Z"])
    let leap = try fires("0 0 29 2 *", "UTC", from: "2096-03-01T00:00:00Z", count: 1)
    #expect(leap == ["2104-02-29T00:00=2104-02-29T00:00:00Z"])
    for expression in ["0 0 1 1 *", "* * 1 1 *"] {
      let last = try fires(expression, "Asia/Tokyo", from: "9999-06-01T00:00:00Z", count: 1)
      #expect(last.isEmpty)
      let schedule = try Schedule(expression)
      #expect(schedule.next(after: Instant(seconds: .max), in: try TestTables.zone("UTC")) == nil)
      let first = schedule.next(
        after: Instant(seconds: .min), in: try TestTables.zone("Europe/London"))
      #expect(first != nil)
    }
  }
}
