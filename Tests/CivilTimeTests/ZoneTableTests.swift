import CivilTime
import Foundations
import TestSupport
import Testing

/// Windows, local times and offsets against tables made by Python's zoneinfo.
@Suite(.offThePool) struct ZoneTableTests {
  @Test func windowsAroundChangesAreThoseOfTheTable() throws {
    let rows = try TestTables.rows("windows")
    #expect(rows.count > 50)
    for row in rows { #expect(try mismatches(in: row, zones: TestTables.zones).isEmpty) }
  }

  @Test(
    .enabled(
      if: (try? TestTables.rows("every_zone"))?.first?.first == TestTables.system.version,
      "the table is of another release of the database"))
  func windowsOfEveryZoneOfTheSystemAreThoseOfTheTable() throws {
    let rows = try TestTables.rows("every_zone").dropFirst()
    #expect(rows.count > 400)
    for row in rows { #expect(try mismatches(in: row, zones: TestTables.system).isEmpty) }
  }

  @Test func localTimesResolveAsInTheTable() throws {
    let rows = try TestTables.rows("local")
    #expect(rows.count > 300)
    for row in rows {
      let zone = try TestTables.zone(row[0])
      let local = try #require(LocalDateTime(row[1]))
      let early = Instant(seconds: try #require(Int64(row[3])))
      let late = Instant(seconds: try #require(Int64(row[4])))
      let naive = try InstantText.parse(row[1] + ":00", naiveZone: zone)
      #expect(naive.instant == early, "\(row)")
      switch zone.resolve(local) {
      case .unique(let instant):
        #expect(row[2] == "unique" && instant == early && naive.fit == .exact, "\(row)")
        #expect(zone.localDateTime(at: instant) == local)
      case .gap(let after, let later):
        #expect(row[2] == "gap" && later == early && naive.fit == .gap, "\(row)")
        #expect(late <= after && after <= later, "\(row)")
        #expect(zone.localDateTime(at: after) > local)
        #expect(zone.localDateTime(at: after.adding(seconds: -1)) < local)
      case .overlap(let first, let second):
        #expect(row[2] == "overlap" && first == early && second == late, "\(row)")
        #expect(naive.fit == .overlap)
      }
    }
  }

  /// The entries of a line that are not as the zone has them; a line is a zone, then `day:start:end` of its windows.
  private func mismatches(in row: [String], zones: SystemZones) throws -> [String] {
    let zone = try zones.zone(named: row[0])
    return row.dropFirst().filter { entry in
      let fields = entry.split(separator: ":").map(String.init)
      guard fields.count == 3, let day = Day(fields[0]) else { return true }
      let window = zone.window(of: day)
      guard fields[1] != "-" else { return window != nil }
      guard let window, String(window.start.seconds) == fields[1],
        String(window.end.seconds) == fields[2]
      else { return true }
      let last = Instant(seconds: window.end.seconds - 1, nanoseconds: 999_999_999)
      return zone.window(containing: window.start) != window
        || zone.window(containing: last) != window
    }
  }
}
