import SeededRandom

/// How long answers take, in real seconds: mostly a span, now and then a longer one.
public struct Latency: Sendable, Equatable {
  /// Shortest and longest usual latency.
  public var usualSeconds: ClosedRange<Double>
  /// How probable a late answer is.
  public var lateProbability: Double
  /// Shortest and longest latency of a late answer.
  public var lateSeconds: ClosedRange<Double>

  /// A distribution.
  public init(
    usualSeconds: ClosedRange<Double>, lateProbability: Double = 0,
    lateSeconds: ClosedRange<Double> = 0...0
  ) {
    self.usualSeconds = usualSeconds
    self.lateProbability = lateProbability
    self.lateSeconds = lateSeconds
  }

  /// Answers at once.
  public static let none = Latency(usualSeconds: 0...0)

  func draw(_ random: inout SplitMix64) -> Double {
    let range = random.chance(lateProbability) ? lateSeconds : usualSeconds
    return range.lowerBound + random.fraction() * (range.upperBound - range.lowerBound)
  }
}
