import CivilTime
import Foundations
import TestSupport
import Testing

/// What must hold in every zone, and the days that are famous for breaking it.
@Suite(.offThePool) struct ZoneTests {
  @Test func aDateThatDoesNotExistHasNoWindow() throws {
    let apia = try TestTables.zone("Pacific/Apia")
    let skipped = try #require(Day("2011-12-30"))
    #expect(apia.window(of: skipped) == nil)
    let before = try #require(apia.window(of: skipped.adding(days: -1)))
    #expect(apia.nextWindow(after: before).day == skipped.adding(days: 1))
    #expect(before.end == (try TestTables.instant("2011-12-30T10:00:00Z")))
  }

  @Test func aDateThatRunsBackKeepsItsFirstInstant() throws {
    let zone = try TestTables.zone("America/St_Johns")
    let day = try #require(Day("2006-10-29"))
    let window = try #require(zone.window(of: day))
    #expect(window.start == (try TestTables.instant("2006-10-29T02:30:00Z")))
    // A minute later the clock shows the day before for an hour; the day does not go back.
    let thrownBack = try TestTables.instant("2006-10-29T03:00:00Z")
    #expect(zone.localDateTime(at: thrownBack).day < day)
    #expect(zone.window(containing: thrownBack) == window)
  }

  @Test func aDateThatIsRepeatedIsOneLongWindow() throws {
    let zone = try TestTables.zone("Pacific/Kwajalein")
    let day = try #require(Day("1969-09-30"))
    let window = try #require(zone.window(of: day))
    #expect(window.end.seconds - window.start.seconds == 47 * 3_600)
  }

  @Test func windowsTileTimeInEveryZone() throws {
    let seed: UInt64 = 0x5EED_0002
    var random = SplitMix64(seed: seed)
    let names = TestTables.system.names()
    try #require(names.count > 300)
    for name in names {
      let zone = try TestTables.system.zone(named: name)
      let spans: [ClosedRange<Int64>] = [
        -4_000_000_000...4_200_000_000, -62_135_500_000...253_402_200_000,
      ]
      for span in spans {
        let at = Instant(seconds: Int64.random(in: span, using: &random), nanoseconds: 5)
        var window = zone.window(containing: at)
        #expect(window.contains(at), "\(name) \(at), seed \(seed)")
        for _ in 0..<5 {
          let next = zone.nextWindow(after: window)
          #expect(next.start == window.end && next.day > window.day, "\(name) \(window)")
          #expect(zone.window(of: next.day) == next, "\(name) \(next)")
          window = next
        }
      }
    }
  }

  @Test func localTimesResolveToInstantsThatShowThem() throws {
    let seed: UInt64 = 0x5EED_0003
    var random = SplitMix64(seed: seed)
    for name in TestTables.zones.names() {
      let zone = try TestTables.zone(name)
      for _ in 0..<200 {
        let at = Instant(seconds: Int64.random(in: -3_000_000_000...5_000_000_000, using: &random))
        let local = zone.localDateTime(at: at)
        switch zone.resolve(local) {
        case .unique(let instant): #expect(instant == at, "\(name) \(at), seed \(seed)")
        case .overlap(let first, let second):
          #expect(first < second && (first == at || second == at), "\(name) \(at)")
          #expect(zone.localDateTime(at: first) == local && zone.localDateTime(at: second) == local)
        case .gap: Issue.record("\(name) shows \(local) at \(at), seed \(seed)")
        }
      }
    }
  }

  @Test func instantsOutsideAllYearsDoNotCrash() throws {
    for name in ["America/New_York", "Pacific/Apia", "UTC"] {
      let zone = try TestTables.zone(name)
      for seconds in [Int64.min, .min + 1, -1 << 59, 1 << 59, .max - 1, .max] {
        let window = zone.window(containing: Instant(seconds: seconds))
        #expect(window.start < window.end)
        _ = zone.resolve(zone.localDateTime(at: Instant(seconds: seconds)))
      }
      for number in [Int32.min, .max] {
        let window = try #require(zone.window(of: Day(number: number)))
        #expect(window.start < window.end)
      }
    }
  }

  @Test(arguments: [
    "2026-11-20T00:30", "2026-11-20T23:59:59", "0001-01-01T00:00", "9999-12-31T23:59",
  ])
  func localTimesAreReadAsTheyAreWritten(text: String) throws {
    #expect(try #require(LocalDateTime(text)).description == text)
  }

  @Test(arguments: [
    "", "T", "2026-11-20", "2026-11-20T", "2026-11-20T24:00", "2026-11-20T00:60",
    "2026-11-20T00:30:00", "2026-11-20T0:30", "2026-11-20T00:30:", "2026-11-20T+1:30",
    "2026-02-30T00:30", "2026-11-20 00:30",
  ])
  func otherTextsAreNoLocalTimes(text: String) { #expect(LocalDateTime(text) == nil) }
}
