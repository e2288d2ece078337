import CivilTime
package import Evidence
import Ledger

/// Polls users' routes, where that is worth it, and passes on what the answers show.
package struct Poller: Sendable {
  private let api: any ActivityAPI
  private let writer: LedgerWriter
  private let intake: LookIntake
  private let clock: any ServiceClock

  package init(
    api: any ActivityAPI, writer: LedgerWriter, intake: LookIntake, clock: any ServiceClock
  ) {
    self.api = api
    self.writer = writer
    self.intake = intake
    self.clock = clock
  }

  /// The result of polling some users.
  package struct Round: Sendable {
    /// The number of users polled.
    package var users = 0
    /// The number of polls made, including failed ones.
    package var looks = 0
    /// The number of failed polls, by cause.
    package var failures: [FailureCause: Int] = [:]
    /// Users with a failed poll whose cause may soon pass.
    package var unseen: [Int] = []
    /// What was appended.
    package var counts = AppendCounts()
    /// The number of activities for closed days, which only a backfill may use.
    package var lateEvidence = 0
    /// Why users could not be judged, by user.
    package var problems: [String: String] = [:]

    package init() {}

    /// Adds the results of another round.
    package static func += (left: inout Round, right: Round) {
      left.users += right.users
      left.looks += right.looks
      left.failures.merge(right.failures, uniquingKeysWith: +)
      left.unseen += right.unseen
      left.counts += right.counts
      left.lateEvidence += right.lateEvidence
      left.problems.merge(right.problems) { $1 }
    }
  }

  private struct Plan {
    let id: String
    let isPseudonym: Bool
    var routes: [Source] = []
    var problem: String?
  }

  /// Polls one user, by account index, for what the plan needs now or, without a plan, for everything not met.
  /// Throws only if the ledger cannot be written.
  package func poll(_ user: Int, by planner: LookPlanner? = nil) async throws -> Round {
    var round = Round()
    let plan: Plan = await writer.read { state in
      let account = state.ledger.accounts[user]
      let (id, isPseudonym) = (account.id, account.isPseudonym)
      // Nobody is asked about them any more, not even for the day on which they left.
      if account.forgottenAt != nil { return Plan(id: id, isPseudonym: isPseudonym) }
      do {
        let now = state.clock.now()
        let routes =
          try planner.map { planner throws(ZoneError) in
            try state.routes(for: user, now: now, by: planner)
          } ?? state.routes(for: user, now: now)
        return Plan(id: id, isPseudonym: isPseudonym, routes: routes)
      } catch {
        return Plan(id: id, isPseudonym: isPseudonym, problem: "\(error)")
      }
    }
    if let problem = plan.problem {
      round.problems[plan.id] = problem
      return round
    }
    let looks =
      api.canName(plan.id, isPseudonym: plan.isPseudonym)
      ? await look(at: plan.routes, of: plan.id)
      : plan.routes.map { Look(route: $0, at: clock.now(), outcome: .failed(.noAPIUser)) }
    round.users = 1
    round.looks = looks.count
    for look in looks {
      if let cause = look.outcome.cause { round.failures[cause, default: 0] += 1 }
    }
    if round.failures.keys.contains(where: \.maySoonPass) { round.unseen = [user] }
    let receipt = try await intake.add(looks, of: user)
    round.counts = AppendCounts(receipt.records)
    round.lateEvidence = receipt.lateEvidence
    if let problem = receipt.problem { round.problems[plan.id] = problem }
    return round
  }

  /// Polls many users like ``poll(_:by:)``, at most `width` at once, and calls `progress` with the number done.
  ///
  /// The caller owns a unit of tracked work. It passes to the polls while they run, and returns with the last one.
  package func poll(
    _ users: some Collection<Int> & Sendable, width: Int, by planner: LookPlanner? = nil,
    progress: (@Sendable (Int) -> Void)? = nil
  ) async throws -> Round {
    var total = Round()
    var done = 0
    try await clock.forEach(in: users, atMost: width) { user in
      try await poll(user, by: planner)
    } finished: { round in
      done += 1
      total += round
      progress?(done)
    }
    return total
  }

  private func look(at routes: [Source], of user: String) async -> [Look] {
    if routes.count <= 1 {
      guard let route = routes.first else { return [] }
      return [await api.look(at: route, user: user)]
    }
    return await withTaskGroup(of: Look.self) { group in
      for route in routes {
        clock.beginWork()
        // Started immediately, because a poll does little before it waits, and waking another thread costs more.
        group.addImmediateTask { await api.look(at: route, user: user) }
      }
      var looks: [Look] = []
      for _ in routes {
        // This task lends its unit while it waits, and takes over that of a finished poll.
        clock.endWork()
        if let look = await group.next() { looks.append(look) }
      }
      return looks.sorted { $0.route.rawValue < $1.route.rawValue }
    }
  }
}
