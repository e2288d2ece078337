import CivilTime
import Evidence
import Foundations
import TestSupport
import Testing

@Suite(.offThePool) struct CoverageTests {
  private static func at(_ seconds: Int64) -> Instant { Instant(seconds: seconds) }

  /// Against a plain bit per second: whatever is covered in whatever order, the gaps are the same.
  @Test(arguments: 0..<50) func agreesWithOneBitPerSecond(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    var coverage = Coverage()
    var bits = [Bool](repeating: false, count: 200)
    for _ in 0..<20 {
      let from = Int.random(in: 0..<200, using: &random)
      let to = Int.random(in: 0...200, using: &random)
      coverage.cover(from: Self.at(Int64(from)), to: Self.at(Int64(to)))
      if from < to { for second in from..<to { bits[second] = true } }
      if Int.random(in: 0..<6, using: &random) == 0 {
        coverage.drop(before: Self.at(Int64(from / 4)))
        for second in 0..<from / 4 { bits[second] = false }
      }
      if Int.random(in: 0..<9, using: &random) == 0 {
        let end = 100 + to / 2
        coverage.drop(beyond: Self.at(Int64(end)))
        // What goes on there goes as a whole.
        var start = end
        while end < 200, start > 0, bits[end], bits[start - 1] { start -= 1 }
        for second in start..<200 { bits[second] = false }
      }
    }
    let gaps = coverage.gaps(from: Self.at(0), to: Self.at(200))
    for second in 0..<200 {
      let isInGap = gaps.contains { $0.from.seconds <= second && second < $0.to.seconds }
      #expect(isInGap == !bits[second], "second \(second), seed \(seed)")
      let through = bits[second...].firstIndex(of: false) ?? 200
      let start = Self.at(Int64(second))
      #expect(
        coverage.coveredThrough(from: start) == Self.at(Int64(through)),
        "second \(second), seed \(seed)")
      #expect(
        coverage.covers(from: start, to: Self.at(Int64(second) + 7)) == (through >= second + 7),
        "second \(second), seed \(seed)")
    }
    for (left, right) in zip(coverage.intervals, coverage.intervals.dropFirst()) {
      #expect(left.to < right.from, "seed \(seed)")
    }
    coverage.drop(before: Self.at(200))
    #expect(coverage == Coverage(), "seed \(seed)")
  }

  @Test func coversOnlyWhatOneStretchHolds() {
    var coverage = Coverage()
    coverage.cover(from: Self.at(0), to: Self.at(10))
    coverage.cover(from: Self.at(11), to: Self.at(20))
    #expect(coverage.covers(from: Self.at(0), to: Self.at(10)))
    #expect(!coverage.covers(from: Self.at(5), to: Self.at(15)))
    #expect(coverage.coveredThrough(from: Self.at(3)) == Self.at(10))
    #expect(coverage.coveredThrough(from: Self.at(10)) == Self.at(10))
  }
}
