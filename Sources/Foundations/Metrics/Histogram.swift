/// How many values fell into each range: the classic histogram of Prometheus.
package struct Histogram: Sendable, Equatable {
  /// Bounds for durations in seconds, from a loopback answer to a slow receiver.
  package static let durationBounds = [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
  ]

  /// The inclusive upper bounds of the ranges; the last range has none.
  package let bounds: [Double]
  /// The number of values in each range, the unbounded one last.
  package private(set) var counts: [Int]
  /// The sum of all values.
  package private(set) var sum = 0.0

  /// Creates an empty histogram; by default of durations in seconds.
  package init(bounds: [Double] = Histogram.durationBounds) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  /// The number of values.
  package var count: Int { counts.reduce(0, +) }

  /// Adds a value; a negative duration, measured by a clock that went back, counts as 0.
  package mutating func observe(_ value: Double) {
    let value = max(0, value)
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    sum += value
  }
}
