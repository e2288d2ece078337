import CivilTime
import Evidence
import Foundations
import TestSupport
import Testing

@Suite(.offThePool) struct ProvenTimeTests {
  private static let window = DayWindow(
    day: Day(number: 0), start: Instant(seconds: 100), end: Instant(seconds: 300))

  /// Against a plain bit per second: whatever overlaps whatever, the sum and the instant of any length are the same.
  @Test(arguments: 0..<200) func agreesWithOneBitPerSecond(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    let counting: ActivityPolicy.Counting = Bool.random(using: &random) ? .starts : .overlaps
    var time = ProvenTime(in: Self.window, counting: counting)
    var bits = [Bool](repeating: false, count: 400)
    for seq in 0..<UInt64.random(in: 0..<8, using: &random) {
      let from = Int.random(in: 0..<400, using: &random)
      let to = Int.random(in: from...min(from + 90, 400), using: &random)
      time.add(
        Activity(
          kind: .watch, from: Instant(seconds: Int64(from)), to: Instant(seconds: Int64(to))),
        seq: seq)
      if counting == .starts, !(100..<300).contains(from) { continue }
      for second in from..<to where (100..<300).contains(second) { bits[second] = true }
    }
    let seconds = bits.indices.filter { bits[$0] }
    #expect(time.nanoseconds == Int64(seconds.count) * 1_000_000_000, "seed \(seed)")
    for length in 1...201 {
      let wanted = length <= seconds.count ? Int64(seconds[length - 1]) + 1 : nil
      #expect(
        time.reaching(seconds: Int64(length))?.effective.seconds == wanted,
        "\(length) s, seed \(seed)")
    }
  }

  @Test func fractionsOfASecondAreNotLost() {
    var time = ProvenTime(in: Self.window, counting: .overlaps)
    for start in [Int64(110), 120] {
      time.add(
        Activity(
          kind: .stream, from: Instant(seconds: start),
          to: Instant(seconds: start, nanoseconds: 500_000_000)), seq: UInt64(start))
    }
    #expect(
      time.reaching(seconds: 1)
        == EarliestEvidence(effective: Instant(seconds: 120, nanoseconds: 500_000_000), seq: 120))
  }
}
