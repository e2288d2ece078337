import CivilTime
import Foundations
import TestSupport
import Testing

/// What is read from TZif files: the rules of footers, and the refusal of everything that is not such a file.
@Suite(.offThePool) struct TZifTests {
  static let malformed: [(what: String, builder: TZifBuilder)] = [
    ("unknown version", TZifBuilder(version: UInt8(ascii: "5"))),
    ("leap seconds", TZifBuilder(leapCount: 1)),
    ("wrong type", TZifBuilder(transitions: [(0, 1)])),
    ("not ascending", TZifBuilder(transitions: [(5, 0), (5, 0)])),
    ("descending", TZifBuilder(transitions: [(5, 0), (4, 0)])),
    ("too far ahead", TZifBuilder(offsets: [93_600])),
    ("too far behind", TZifBuilder(offsets: [-90_000])),
    ("no types", TZifBuilder(offsets: [])),
    ("no footer", TZifBuilder(footer: nil)),
    ("short name", TZifBuilder(footer: "AB3")),
    ("daylight without dates", TZifBuilder(footer: "EST5EDT")),
    ("hour 25", TZifBuilder(footer: "EST25")),
    ("hour 168", TZifBuilder(footer: "EST5EDT,M3.2.0/168,M11.1.0")),
    ("month 13", TZifBuilder(footer: "EST5EDT,M13.2.0,M11.1.0")),
    ("week 6", TZifBuilder(footer: "EST5EDT,M3.6.0,M11.1.0")),
    ("day J0", TZifBuilder(footer: "EST5EDT,J0,J2")),
    ("day 366", TZifBuilder(footer: "EST5EDT,0,366")),
    ("something after", TZifBuilder(footer: "UTC0 ")),
    ("a NUL", TZifBuilder(footer: "UTC0\0")),
    ("unclosed name", TZifBuilder(footer: "<UTC0")),
    ("foreign digit", TZifBuilder(footer: "UTC٣")),
  ]

  @Test func malformedFilesAreRefused() {
    for (what, builder) in Self.malformed {
      #expect(throws: ZoneError.self, "\(what)") { try Zone(name: "X", tzif: builder.bytes) }
    }
  }

  @Test func everyCutOfAFileIsRefused() throws {
    let whole = try TestTables.bytes("America/New_York")
    for count in 0..<whole.count {
      #expect(throws: ZoneError.self) { try Zone(name: "X", tzif: Array(whole[..<count])) }
    }
    #expect(throws: ZoneError.self) {
      try Zone(name: "X", tzif: whole + [UInt8](repeating: 0, count: 1 << 20))
    }
  }

  /// Offsets by a footer alone, at instants before and after its changes.
  @Test(arguments: [
    ("", "2026-01-01T00:00:00Z", 0),
    ("<-03>3", "9999-12-31T23:59:59Z", -10_800),
    ("<+0330>-3:30", "0001-01-01T00:00:00Z", 12_600),
    ("<+1245>-12:45:30", "2026-01-01T00:00:00Z", 45_930),
    ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T06:59:59Z", -18_000),
    ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T07:00:00Z", -14_400),
    ("EST5EDT,M3.2.0,M11.1.0", "2026-11-01T05:59:59Z", -14_400),
    ("EST5EDT,M3.2.0,M11.1.0", "2026-11-01T06:00:00Z", -18_000),
    ("EST5EDT,M3.2.0,M11.1.0", "9998-07-01T00:00:00Z", -14_400),
    // The south: the period runs over the end of the year.
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-12-31T13:59:59Z", 39_600),
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2027-01-01T00:00:00Z", 39_600),
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2027-06-01T00:00:00Z", 36_000),
    // Daylight saving all year, in the two spellings that are in use.
    ("XXX3EDT4,0/0,J365/23", "2026-01-01T00:00:00Z", -14_400),
    ("XXX3EDT4,0/0,J365/23", "2026-12-31T23:59:59Z", -14_400),
    ("XXX3EDT4,0/0,J365/23", "2024-07-01T00:00:00Z", -14_400),
    ("EST5EDT,0/0,J365/25", "2026-01-01T04:59:59Z", -14_400),
    ("EST5EDT,0/0,J365/25", "2026-01-01T05:00:00Z", -14_400),
    // Hours far outside the day: 22:00 on the Saturday before the last Sunday in March; a week before and after.
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:59:59Z", -7_200),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -3_600),
    ("AAA0BBB,J1/-167,J365/167", "2026-12-25T01:00:00Z", 3_600),
    ("AAA0BBB,J8/-167,J300/167", "2026-01-01T00:59:59Z", 0),
    ("AAA0BBB,J8/-167,J300/167", "2026-01-01T01:00:00Z", 3_600),
    ("AAA0BBB,J8/-167,J300/167", "2026-11-02T21:59:59Z", 3_600),
    ("AAA0BBB,J8/-167,J300/167", "2026-11-02T22:00:00Z", 0),
    // J60 is always 1 March; 59 is 29 February in leap years.
    ("AAA0BBB,J60/0,J61/0", "2024-02-29T23:59:59Z", 0),
    ("AAA0BBB,J60/0,J61/0", "2024-03-01T00:00:00Z", 3_600),
    ("AAA0BBB,59/0,60/0", "2024-02-29T00:00:00Z", 3_600),
    ("AAA0BBB,59/0,60/0", "2026-03-01T00:00:00Z", 3_600),
    // Negative saving, as Ireland's: the period is winter.
    ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-12-01T00:00:00Z", 0),
    ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-06-01T00:00:00Z", 3_600),
  ])
  func footersRule(footer: String, at: String, offset: Int32) throws {
    let zone = try Zone(name: "X", tzif: TZifBuilder(footer: footer).bytes)
    #expect(zone.offsetSeconds(at: try TestTables.instant(at)) == offset)
  }

  @Test func transitionsRuleUntilTheFooterDoes() throws {
    let builder = TZifBuilder(
      version: UInt8(ascii: "4"), transitions: [(-100, 1), (100, 2)], offsets: [10, 20, 30],
      footer: "<+0001>-0:01")
    let zone = try Zone(name: "X", tzif: builder.bytes)
    let offsets = [-101, -100, 99, 100].map { zone.offsetSeconds(at: Instant(seconds: $0)) }
    #expect(offsets == [10, 20, 20, 60])
  }

  @Test func withoutAFooterTheLastTransitionHolds() throws {
    for version in [0, UInt8(ascii: "3")] {
      let builder = TZifBuilder(
        version: version, transitions: [(-100, 1), (100, 2)], offsets: [10, 20, 30])
      let zone = try Zone(name: "X", tzif: builder.bytes)
      let offsets = [-101, -100, 99, 100].map { zone.offsetSeconds(at: Instant(seconds: $0)) }
      #expect(offsets == [10, 20, 20, 30])
      #expect(zone.offsetSeconds(at: .latest) == 30)
    }
  }

  @Test func damagedFilesAreRefusedOrTile() throws {
    let seed: UInt64 = 0x5EED_0001
    var random = SplitMix64(seed: seed)
    let originals = try ["America/New_York", "Africa/Casablanca", "Pacific/Apia", "Europe/Dublin"]
      .map { try TestTables.bytes($0) }
    var accepted = 0
    for round in 0..<6_000 {
      var bytes = originals[round % originals.count]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      guard let zone = try? Zone(name: "X", tzif: bytes) else { continue }
      accepted += 1
      let at = Instant(seconds: Int64.random(in: -5_000_000_000...20_000_000_000, using: &random))
      let window = zone.window(containing: at)
      #expect(window.contains(at), "seed \(seed), round \(round)")
      #expect(zone.nextWindow(after: window).start == window.end, "seed \(seed), round \(round)")
      _ = zone.resolve(zone.localDateTime(at: at))
    }
    #expect(accepted > 100)
  }
}
