package import CivilTime
import Foundations

/// A plan of what goes wrong with the simulated API, and when: the same for the same seed and requests.
package struct FaultPlan: Sendable, Equatable {
  /// The seed of all draws.
  package var seed: UInt64
  /// The faults of users without rates of their own.
  package var rates: FaultRates
  /// The faults of individual users, by id, instead of `rates`.
  package var ratesByUser: [String: FaultRates]
  /// How long answers take.
  package var latency: Latency
  /// The times when nothing works at all.
  package var outages: [SimulatedOutage]

  /// Creates a plan; by default nothing goes wrong.
  package init(
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
package struct Latency: Sendable, Equatable {
  /// The range of usual latencies.
  package var usualSeconds: ClosedRange<Double>
  /// The probability of a late answer.
  package var lateProbability: Double
  /// The range of latencies of late answers.
  package var lateSeconds: ClosedRange<Double>

  package init(
    usualSeconds: ClosedRange<Double>, lateProbability: Double = 0,
    lateSeconds: ClosedRange<Double> = 0...0
  ) {
    self.usualSeconds = usualSeconds
    self.lateProbability = lateProbability
    self.lateSeconds = lateSeconds
  }

  /// No latency.
  package static let none = Latency(usualSeconds: 0...0)

  func draw(_ random: inout SplitMix64) -> Double {
    let range = random.chance(lateProbability) ? lateSeconds : usualSeconds
    return range.lowerBound + random.fraction() * (range.upperBound - range.lowerBound)
  }
}

/// A period in which the API does not work.
package struct SimulatedOutage: Sendable, Equatable {
  /// The ways in which the API fails.
  package enum Manner: Sendable {
    /// Everything is answered with 503.
    case unavailable
    /// Every connection closes without a byte.
    case unreachable
  }

  /// The start of the outage.
  package var from: Instant
  /// The first instant after the outage.
  package var to: Instant
  /// How the API fails.
  package var manner: Manner

  package init(from: Instant, to: Instant, manner: Manner = .unavailable) {
    self.from = from
    self.to = to
    self.manner = manner
  }
}
