import CheerAPI
import CivilTime
import TestSupport
import Testing

@Suite(.offThePool) struct TokenBucketTests {
  @Test func aBurstIsATenthOfASecondAndThenTheRateHolds() {
    var bucket = TokenBucket(perSecond: 100)
    let now = Instant(seconds: 1_000)
    let waits = (0..<30).map { _ in bucket.reserve(at: now) }
    #expect(waits[..<10].allSatisfy { $0 == 0 })
    for (index, wait) in waits[10...].enumerated() {
      #expect(abs(wait - Double(index + 1) / 100) < 1e-9)
    }
  }

  @Test func aCalmSavesNoMoreThanTheBurst() {
    var bucket = TokenBucket(perSecond: 100)
    _ = bucket.reserve(at: Instant(seconds: 1_000))
    let later = Instant(seconds: 1_000_000)
    #expect((0..<10).allSatisfy { _ in bucket.reserve(at: later) == 0 })
    #expect(bucket.reserve(at: later) > 0)
  }

  @Test func aRateBelowOneStillGives() {
    var bucket = TokenBucket(perSecond: 0.5)
    #expect(bucket.reserve(at: Instant(seconds: 10)) == 0)
    #expect(bucket.reserve(at: Instant(seconds: 10)) == 2)
    #expect(bucket.reserve(at: Instant(seconds: 14)) == 0)
  }

  @Test func aClockThatRanBackNeitherGivesNorBlocks() {
    var bucket = TokenBucket(perSecond: 10)
    _ = bucket.reserve(at: Instant(seconds: 1_000))
    let wait = bucket.reserve(at: Instant(seconds: 10))
    #expect(abs(wait - 0.1) < 1e-9)
    #expect(bucket.reserve(at: Instant(seconds: 11)) == 0)
  }

  @Test func overAnyHourNoMoreThanTheRate() {
    var random = SeededRandom(seed: 0x5EED_0002)
    var bucket = TokenBucket(perSecond: 20)
    var now = Instant(seconds: 0)
    var sentAt: [Double] = []
    for _ in 0..<10_000 {
      let gap = Int64.random(in: 0...100_000_000, using: &random)
      let nanos = Int64(now.nanoseconds) + gap
      now = Instant(
        seconds: now.seconds + nanos / 1_000_000_000, nanoseconds: Int32(nanos % 1_000_000_000))
      let wait = bucket.reserve(at: now)
      sentAt.append(Double(now.seconds) + Double(now.nanoseconds) / 1e9 + wait)
    }
    sentAt.sort()
    for index in stride(from: 0, to: sentAt.count - 100, by: 7) {
      let span = sentAt[index + 100] - sentAt[index]
      #expect(span * 20 + 2 + 1e-6 >= 100, "seed 0x5EED0002 at \(index)")
    }
  }
}
