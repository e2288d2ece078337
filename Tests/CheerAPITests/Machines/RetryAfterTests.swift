import CivilTime
import HTTPClient
import TestSupport
import Testing

@Suite(.offThePool) struct RetryAfterTests {
  // The first nine rows are a shared table; "fallback" there is nil here, "cap" the cap.
  @Test(
    arguments: [
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_687, 90),
      ("120", 784_111_777, 120),
      ("0", 784_111_777, 0),
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_112_277, 0),
      ("abc", 784_111_777, nil),
      ("120, 240", 784_111_777, nil),
      ("1e3", 784_111_777, nil),
      (" ", 784_111_777, nil),
      ("Tue, 19 Jan 2038 03:14:08 GMT", 784_111_777, 3_600),
      ("Sun Nov  6 08:49:37 1994", 784_111_687, 90),
      ("Sun Nov 16 08:49:37 1994", 784_111_687, 3_600),
      (" 7\t", 784_111_777, 7),
      ("3601", 784_111_777, 3_600),
      ("99999999999999999999999999", 784_111_777, 3_600),
      ("", 784_111_777, nil),
      ("-1", 784_111_777, nil),
      ("+1", 784_111_777, nil),
      ("1.5", 784_111_777, nil),
      ("٣", 784_111_777, nil),
      ("0x10", 784_111_777, nil),
      ("Sun, 06 Nov 1994 08:49:37", 784_111_687, nil),
      ("Sun, 06 Nov 1994 08:49:37 UTC", 784_111_687, nil),
      ("Sun, 06 Nov 1994 08:49:37 +0000", 784_111_687, nil),
      ("Xyz, 06 Nov 1994 08:49:37 GMT", 784_111_687, nil),
      ("Sun, 31 Feb 1994 08:49:37 GMT", 784_111_687, nil),
      ("Sun, 06 Nov 1994 24:49:37 GMT", 784_111_687, nil),
      ("Sun, 06 Nov 1994 8:49:37 GMT", 784_111_687, nil),
      ("Sun, 6 Nov 1994 08:49:37 GMT", 784_111_687, nil),
      ("Sun, 06 nov 1994 08:49:37 GMT", 784_111_687, nil),
      ("Sunday, 06-Nov-94 08:49 GMT", 784_111_687, nil),
      ("Sunday, 06-Nov-1994 08:49:37 GMT", 784_111_687, nil),
      // A year of two digits is at most fifty years ahead; of 2025-11-20T00:53:20Z and of 1994.
      ("Monday, 01-Jan-75 00:00:00 GMT", 1_763_600_000, 3_600),
      ("Wednesday, 20-Nov-75 00:53:20 GMT", 1_763_600_000, 3_600),
      ("Thursday, 20-Nov-75 00:53:21 GMT", 1_763_600_000, 0),
      ("Wednesday, 01-Jan-76 00:00:00 GMT", 1_763_600_000, 0),
      ("Tuesday, 19-Jan-38 03:14:08 GMT", 784_111_777, 3_600),
      ("Sunday, 06-Nov-05 08:49:37 GMT", 784_111_777, 3_600),
      ("Saturday, 01-Jan-00 00:00:00 GMT", 784_111_777, 3_600),
      ("Saturday, 01-Jan-50 00:00:00 GMT", 784_111_777, 0),
    ] as [(String, Int64, Int64?)])
  func headerMeansDelay(header: String, now: Int64, delay: Int64?) {
    #expect(RetryAfter.delaySeconds(header, now: Instant(seconds: now)) == delay)
  }

  @Test func theDelayNeverEndsBeforeTheDate() {
    let now = Instant(seconds: 784_111_776, nanoseconds: 999_999_999)
    #expect(RetryAfter.delaySeconds("Sun, 06 Nov 1994 08:49:37 GMT", now: now) == 1)
  }

  @Test func randomBytesNeverCrash() {
    var random = SeededRandom(seed: 0x5EED_0001)
    let now = Instant(seconds: 1_763_600_000)
    var understood = 0
    for _ in 0..<100_000 {
      var text = Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        text[Int.random(in: 0..<text.count, using: &random)] = UInt8.random(
          in: 0 ... .max, using: &random)
      }
      let delay = RetryAfter.delaySeconds(String(decoding: text, as: UTF8.self), now: now)
      if let delay {
        understood += 1
        #expect((0...3_600).contains(delay))
      }
    }
    #expect(understood > 0 && understood < 20_000, "seed 0x5EED0001: \(understood)")
  }
}
