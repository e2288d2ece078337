import CivilTime
import Foundations
import TestSupport
import Testing

@Suite(.offThePool) struct InstantTextTests {
  @Test func instantsAreThoseOfTheTable() throws {
    let rows = try TestTables.rows("instants")
    #expect(rows.count > 300)
    let utc = try TestTables.zone("UTC")
    for row in rows {
      let parsed = try InstantText.parse(row[0], naiveZone: utc)
      #expect(parsed.epochSecondsText == row[1], "\(row[0])")
    }
  }

  @Test(arguments: [
    "", "T", "now", "2026", "2026-11-20", "2026-11-20T", "2026-11-20T23", "2026-11-20T23:59",
    "2026-11-20T23:59:5", "2026-11-20T23:59:59.Z", "2026-11-20T23:59:59,5Z",
    "2026-11-20T23:59:59ZZ", "2026-11-20T23:59:59Z ", " 2026-11-20T23:59:59Z",
    "2026-11-20T23:59:59Z\0", "2026-11-20T23:59:59Z\n", "2026-11-20  23:59:59",
    "2026-11-20_23:59:59Z", "2026-11-20T24:00:00Z", "2026-11-20T23:60:00Z",
    "2026-11-20T23:59:60Z", "2026-11-31T00:00:00Z", "2026-00-01T00:00:00Z",
    "2026-13-01T00:00:00Z", "2026-11-00T00:00:00Z", "2025-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z", "0000-01-01T00:00:00Z", "20261120T235959Z", "+2026-11-20T00:00:00Z",
    "-2026-11-20T00:00:00Z", "26-11-20T00:00:00Z", "2026-11-20T23:59:59+0900",
    "2026-11-20T23:59:59+09", "2026-11-20T23:59:59+9:00", "2026-11-20T23:59:59+24:00",
    "2026-11-20T23:59:59+09:60", "2026-11-20T23:59:59+09:00Z", "2026-11-20T23:59:59+09:00:00",
    "2026-11-20T23:59:59 +09:00", "2026-11-20T23:59:59−09:00", "2026-11-2٣T23:59:59Z",
    "２026-11-20T23:59:59Z", "2026-11-20T23:59:59UTC", "1e9", "1763683199", "Infinity",
    "2026-11-20T23:59:59.1234567890123456789Z", "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01", "0000-00-00 00:00:01", "0000-00-00 24:00:00",
    "1998-12-31T22:59:60Z", "1998-12-31T23:58:60Z", "1998-12-31T23:59:61Z",
    "1998-12-31T23:59:60+01:00", "1998-12-31 23:59:60", "9999-12-31T23:59:60Z",
  ])
  func otherTextsAreRefused(text: String) throws {
    let utc = try TestTables.zone("UTC")
    let error = #expect(throws: InstantTextError.self) {
      try InstantText.parse(text, naiveZone: utc)
    }
    #expect(error != .zeroDate)
    #expect(error?.description.contains(";") == true)
  }

  /// POSIX time has no leap seconds: each is the second after it.
  @Test(arguments: [
    ("1998-12-31T23:59:60Z", "1999-01-01T00:00:00Z"),
    ("1990-12-31T15:59:60-08:00", "1991-01-01T00:00:00Z"),
    ("2016-12-31t23:59:60.25z", "2017-01-01T00:00:00.25Z"),
    ("2012-07-01T08:59:60+09:00", "2012-07-01T00:00:00Z"),
  ])
  func aLeapSecondIsTheNextSecond(text: String, instant: String) throws {
    #expect(try InstantText.parse(text).instant.description == instant)
  }

  @Test(arguments: [
    "0000-00-00", "0000-00-00 00:00:00", "0000-00-00 00:00:00.000000", "0000-00-00T00:00:00Z",
  ])
  func theZeroDateIsAnErrorOfItsOwn(text: String) {
    #expect(throws: InstantTextError.zeroDate) { try InstantText.parse(text) }
  }

  @Test func errorsTellTheColumn() {
    #expect(throws: InstantTextError.malformed(column: 11, expected: "T or a space")) {
      try InstantText.parse("2026-11-20x")
    }
    #expect(throws: InstantTextError.offsetMissing) {
      try InstantText.parse("2026-11-20 23:59:59")
    }
    #expect(throws: InstantTextError.outOfRange) {
      try InstantText.parse("9999-12-31T23:59:59-00:01")
    }
  }

  @Test func digitsBelowANanosecondAreCutOffTheInstantOnly() throws {
    let parsed = try InstantText.parse("1969-12-31T23:59:58.123456789987654321Z")
    #expect(parsed.instant == Instant(seconds: -2, nanoseconds: 123_456_789))
    #expect(parsed.epochSecondsText == "-1.876543210012345679")
    #expect(parsed.instant.epochSecondsText == "-1.876543211")
    #expect(Instant(seconds: -1, nanoseconds: 500_000_000).epochSecondsText == "-0.5")
    #expect(Instant(seconds: 0, nanoseconds: 1).epochSecondsText == "0.000000001")
    #expect(Instant(seconds: -3).epochSecondsText == "-3")
  }

  @Test func aTextWithAnOffsetNeedsNoZone() throws {
    let newYork = try TestTables.zone("America/New_York")
    let parsed = try InstantText.parse("2026-03-08T02:30:00+00:00", naiveZone: newYork)
    #expect(parsed.hasOffset && parsed.fit == .exact)
    let naive = try InstantText.parse("2026-03-08T02:30:00", naiveZone: newYork)
    #expect(!naive.hasOffset && naive.fit == .gap)
    #expect(naive.instant == (try TestTables.instant("2026-03-08T07:30:00Z")))
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let seed: UInt64 = 0x5EED_2000
    var random = SplitMix64(seed: seed)
    for _ in 0..<5_000 {
      let instant = Instant(
        seconds: Int64.random(
          in: Instant.earliest.seconds...Instant.latest.seconds, using: &random),
        nanoseconds: Int32.random(in: 0..<1_000_000_000, using: &random))
      let offset = Int32.random(in: -1_439...1_439, using: &random) * 60
      let text = InstantFormat.text(of: instant, fraction: .asNeeded)
      #expect(try InstantText.parse(text).instant == instant, "seed \(seed)")
      let moved = instant.seconds + Int64(offset)
      guard moved >= Instant.earliest.seconds, moved <= Instant.latest.seconds else { continue }
      let local = InstantFormat.text(of: instant, fraction: .asNeeded, offsetSeconds: offset)
      #expect(try InstantText.parse(local).instant == instant, "seed \(seed), \(local)")
    }
  }

  @Test func damagedTextsAreRefusedOrRead() throws {
    let seed: UInt64 = 0x5EED_2001
    var random = SplitMix64(seed: seed)
    let utc = try TestTables.zone("UTC")
    let originals = ["2026-11-20 23:59:59", "1963-06-19T08:30:06.283185+09:00"].map {
      Array($0.utf8)
    }
    var read = 0
    for round in 0..<20_000 {
      var bytes = originals[round % originals.count]
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0...2, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: place)
      default: bytes.insert(bytes.randomElement(using: &random) ?? 0, at: place)
      }
      let parsed = bytes.withUnsafeBufferPointer { buffer in
        try? InstantText.parse(buffer, naiveZone: utc)
      }
      guard let parsed else { continue }
      read += 1
      // Whatever is accepted is spelled as the grammar says: its parts can be cut out at fixed places.
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(Day(String(text.prefix(10))) != nil, "seed \(seed), \(text)")
      #expect(parsed.hasOffset == (text.utf8.count > 19 && text.utf8.suffix(6).contains(0x3A)))
    }
    #expect(read > 100)
  }

  /// Offsets are told in whole minutes, by local mean times too: the text is the instant.
  @Test func textsNameTheirInstantAtAnyOffset() throws {
    let instant = Instant(seconds: -315_616_530)
    for offset: Int32 in [-2_670, -2_640, -59, 0, 59, 33_533, 35_100] {
      let text = InstantFormat.text(of: instant, fraction: .asNeeded, offsetSeconds: offset)
      #expect(try InstantText.parse(text).instant == instant, "\(text)")
    }
  }
}
