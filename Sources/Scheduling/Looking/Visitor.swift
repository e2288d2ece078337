import CivilTime
public import Evidence
import Ledger

/// Visits users: looks at the routes that are worth asking, and brings what was seen to the clerk.
public struct Visitor: Sendable {
  private let api: any ActivityAPI
  private let clerk: Clerk
  private let clock: any ServiceClock

  /// A visitor.
  public init(api: any ActivityAPI, clerk: Clerk, clock: any ServiceClock) {
    self.api = api
    self.clerk = clerk
    self.clock = clock
  }

  /// What a round of visits brought.
  public struct Round: Sendable {
    /// Users that were looked at.
    public var users = 0
    /// Looks made, failed ones included.
    public var looks = 0
    /// Looks that could not see.
    public var failures: [FailureCause: Int] = [:]
    /// What was appended.
    public var tally = Tally()
    /// Activities for closed days, which only a backfill may use.
    public var lateEvidence = 0
    /// Why users could not be judged, by user.
    public var problems: [String: String] = [:]

    /// Nothing was visited.
    public init() {}

    mutating func add(_ other: Round) {
      users += other.users
      looks += other.looks
      failures.merge(other.failures, uniquingKeysWith: +)
      tally += other.tally
      lateEvidence += other.lateEvidence
      problems.merge(other.problems) { $1 }
    }
  }

  /// Visits one user by account index. Throws only when the ledger cannot be written.
  public func visit(_ user: Int) async throws -> Round {
    var round = Round()
    let now = clock.now()
    let plan: (id: String, routes: [Source], problem: String?) = await clerk.read { desk in
      let id = desk.book.accounts[user].id
      do {
        return (id, try desk.routes(for: user, now: now), nil)
      } catch {
        return (id, [], "\(error)")
      }
    }
    if let problem = plan.problem {
      round.problems[plan.id] = problem
      return round
    }
    let looks = await look(at: plan.routes, of: plan.id)
    round.users = 1
    round.looks = looks.count
    for case .failed(let cause) in looks.map(\.look.outcome) {
      round.failures[cause, default: 0] += 1
    }
    let receipt = try await clerk.take(Visit(user: user, looks: looks))
    round.tally = Tally(receipt.records)
    round.lateEvidence = receipt.lateEvidence
    if let problem = receipt.problem { round.problems[plan.id] = problem }
    return round
  }

  /// Visits many users, at most `width` at once; `progress` is told how many are done.
  ///
  /// The caller owns a unit of tracked work. It passes to the visits while they run, and comes back with the last.
  public func visit(
    _ users: some Collection<Int> & Sendable, width: Int,
    progress: (@Sendable (Int) -> Void)? = nil
  ) async throws -> Round {
    try await withThrowingTaskGroup(of: Round.self) { group in
      var waiting = users.makeIterator()
      var total = Round()
      var running = 0
      var done = 0
      while true {
        while running < width, let user = waiting.next() {
          clock.beginWork()
          running += 1
          group.addTask { try await visit(user) }
        }
        if running == 0 { return total }
        // A finished visit's unit becomes this task's own.
        clock.endWork()
        guard let round = try await group.next() else { return total }
        running -= 1
        done += 1
        total.add(round)
        progress?(done)
      }
    }
  }

  private func look(at routes: [Source], of user: String) async -> [Visit.RouteLook] {
    if routes.count <= 1 {
      guard let route = routes.first else { return [] }
      return [Visit.RouteLook(route: route, look: await api.look(at: route, user: user))]
    }
    return await withTaskGroup(of: Visit.RouteLook.self) { group in
      for route in routes {
        clock.beginWork()
        group.addTask { Visit.RouteLook(route: route, look: await api.look(at: route, user: user)) }
      }
      var looks: [Visit.RouteLook] = []
      for _ in routes {
        // As in `visit`: this task's unit is lent while it waits, and a finished look's becomes its own.
        clock.endWork()
        if let look = await group.next() { looks.append(look) }
      }
      return looks.sorted { $0.route.rawValue < $1.route.rawValue }
    }
  }
}
