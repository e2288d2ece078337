/// What the simulated API has served so far.
public struct ServedCounts: Sendable, Equatable {
  /// Nothing was served yet.
  public init() {}

  /// Requests by route, faulty ones included.
  public private(set) var byRoute: [ServedRoute: Int] = [:]
  /// Answers by status; 0 for connections that were cut without one.
  public private(set) var byStatus: [Int: Int] = [:]
  /// Faults that happened.
  public private(set) var byFault: [Fault: Int] = [:]
  /// Requests refused by an outage.
  public private(set) var refusedByOutage = 0

  /// All requests to known routes.
  public var requests: Int { byRoute.values.reduce(0, +) }

  mutating func count(_ route: ServedRoute) { byRoute[route, default: 0] += 1 }
  mutating func count(status: Int) { byStatus[status, default: 0] += 1 }
  mutating func count(_ fault: Fault) { byFault[fault, default: 0] += 1 }
  mutating func countOutage() { refusedByOutage += 1 }
}
