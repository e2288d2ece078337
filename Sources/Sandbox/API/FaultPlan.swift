public import CivilTime
import SeededRandom

/// What goes wrong with the simulated API, and when: the same for the same seed and the same requests.
public struct FaultPlan: Sendable, Equatable {
  /// The number from which the draws follow.
  public var seed: UInt64
  /// The faults of users without rates of their own.
  public var rates: FaultRates
  /// The faults of single users, by id, instead of `rates`.
  public var ratesByUser: [String: FaultRates]
  /// How long answers take.
  public var latency: Latency
  /// When nothing works at all.
  public var outages: [Outage]

  /// A plan; by default nothing goes wrong.
  public init(
    seed: UInt64 = 0, rates: FaultRates = .none, ratesByUser: [String: FaultRates] = [:],
    latency: Latency = .none, outages: [Outage] = []
  ) {
    self.seed = seed
    self.rates = rates
    self.ratesByUser = ratesByUser
    self.latency = latency
    self.outages = outages
  }

  /// The outage that runs at `now`, or nil.
  func outage(at now: Instant) -> Outage? {
    outages.first { $0.from <= now && now < $0.to }
  }

  /// Whether single requests are left in peace.
  var isQuiet: Bool { rates == .none && ratesByUser.isEmpty && latency == .none }
}

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

/// A span of time in which the API does not work.
public struct Outage: Sendable, Equatable {
  /// How it does not.
  public enum Manner: Sendable {
    /// Everything is answered with 503.
    case unavailable
    /// Every connection closes without a byte.
    case unreachable
  }

  /// The first instant of the outage.
  public var from: Instant
  /// The first instant after it.
  public var to: Instant
  /// How the API does not work.
  public var manner: Manner

  /// An outage.
  public init(from: Instant, to: Instant, manner: Manner = .unavailable) {
    self.from = from
    self.to = to
    self.manner = manner
  }
}
