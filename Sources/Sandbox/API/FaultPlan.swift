public import CivilTime
import Foundations

/// A plan of what goes wrong with the simulated API, and when: the same for the same seed and requests.
public struct FaultPlan: Sendable, Equatable {
  /// The seed of all draws.
  public var seed: UInt64
  /// The faults of users without rates of their own.
  public var rates: FaultRates
  /// The faults of individual users, by id, instead of `rates`.
  public var ratesByUser: [String: FaultRates]
  /// How long answers take.
  public var latency: Latency
  /// The times when nothing works at all.
  public var outages: [SimulatedOutage]

  /// Creates a plan; by default nothing goes wrong.
  public init(
    seed: UInt64 = 0, rates: FaultRates = .none, ratesByUser: [String: FaultRates] = [:],
    latency: Latency = .none, outages: [SimulatedOutage] = []
  ) {
    self.seed = seed
    self.rates = rates
    self.ratesByUser = ratesByUser
    self.latency = latency
    self.outages = outages
  }

  /// Returns the outage at `now`, or nil.
  func outage(at now: Instant) -> SimulatedOutage? {
    outages.first { $0.from <= now && now < $0.to }
  }

  /// Whether individual requests are unaffected.
  var isQuiet: Bool { rates == .none && ratesByUser.isEmpty && latency == .none }
}

/// How long answers take, in real seconds: mostly within one range, occasionally within a longer one.
public struct Latency: Sendable, Equatable {
  /// The range of usual latencies.
  public var usualSeconds: ClosedRange<Double>
  /// The probability of a late answer.
  public var lateProbability: Double
  /// The range of latencies of late answers.
  public var lateSeconds: ClosedRange<Double>

  /// Creates a distribution.
  public init(
    usualSeconds: ClosedRange<Double>, lateProbability: Double = 0,
    lateSeconds: ClosedRange<Double> = 0...0
  ) {
    self.usualSeconds = usualSeconds
    self.lateProbability = lateProbability
    self.lateSeconds = lateSeconds
  }

  /// No latency.
  public static let none = Latency(usualSeconds: 0...0)

  func draw(_ random: inout SplitMix64) -> Double {
    let range = random.chance(lateProbability) ? lateSeconds : usualSeconds
    return range.lowerBound + random.fraction() * (range.upperBound - range.lowerBound)
  }
}

/// A period in which the API does not work.
public struct SimulatedOutage: Sendable, Equatable {
  /// The ways in which the API fails.
  public enum Manner: Sendable {
    /// Everything is answered with 503.
    case unavailable
    /// Every connection closes without a byte.
    case unreachable
  }

  /// The start of the outage.
  public var from: Instant
  /// The first instant after the outage.
  public var to: Instant
  /// How the API fails.
  public var manner: Manner

  /// Creates an outage.
  public init(from: Instant, to: Instant, manner: Manner = .unavailable) {
    self.from = from
    self.to = to
    self.manner = manner
  }
}
