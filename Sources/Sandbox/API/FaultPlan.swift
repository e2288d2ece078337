internal import CivilTime

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
