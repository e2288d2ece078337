/// How often values fell into which range: the classic histogram of Prometheus.
public struct Histogram: Sendable, Equatable {
  /// Durations from a loopback answer to a receiver that takes its time, in seconds.
  public static let durationBounds = [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
  ]

  /// The upper bounds of the ranges, each included; the last range has none.
  public let bounds: [Double]
  /// Values in each range, the one without a bound last.
  public private(set) var counts: [Int]
  /// The sum of all values.
  public private(set) var sum = 0.0

  /// An empty histogram; by default of durations in seconds.
  public init(bounds: [Double] = Histogram.durationBounds) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  /// How many values there were.
  public var count: Int { counts.reduce(0, +) }

  /// Adds a value; what a clock that ran back measured counts as 0.
  public mutating func observe(_ value: Double) {
    let value = max(0, value)
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    sum += value
  }
}
