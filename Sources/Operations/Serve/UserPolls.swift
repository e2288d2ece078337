import CivilTime
import Ledger
import Scheduling
import Threading

/// Looks at users when their time comes, each at most once at a time.
final class UserPolls: Sendable {
  /// Polls under way at most: the API's client queues what is beyond its own cap, in the order in which it comes. So few that a
  /// last call does not wait long behind looks that might have.
  private static let limit = 1_024

  private struct Plan: Sendable {
    var agenda: LookAgenda
    /// Accounts up to this index have a place in the queue, or had one.
    var users = 0
  }

  private let planner: LookPlanner
  private let runtime: Runtime
  private let api: APIWatch
  private let plan: Lock<Plan>
  private let polling = Lock<Set<Int>>([])
  private let sweep: Lock<SweepCount>

  init(_ runtime: Runtime, _ planner: LookPlanner, _ api: APIWatch) {
    self.runtime = runtime
    self.planner = planner
    plan = Lock(
      Plan(
        agenda: LookAgenda(
          usersPerSecond: planner.policy.usersPerSecond, mostUnderWay: Self.limit)))
    sweep = Lock(SweepCount(intervalSeconds: planner.policy.everySeconds))
    self.api = api
  }

  /// Accounts that are known.
  var users: Int { plan.withLock { $0.users } }

  /// Users whose next look is planned.
  var waiting: Int { plan.withLock { $0.agenda.count } }

  /// When somebody is to be looked at next; nil while nobody is planned, or until a poll under way has ended.
  var next: Instant? { plan.withLock { $0.agenda.earliest } }

  /// Takes some users out whose time has come. They come back by ``poll(_:)``.
  func takeDue(at now: Instant) -> [Int] {
    let users = plan.withLock { $0.agenda.takeDue(at: now) }
    let ended = sweep.withLock { sweep in
      defer { sweep.add(due: users.count, at: now) }
      return sweep.takeEnded(at: now)
    }
    if let ended { runtime.environment.log.info("looked at users", ended) }
    return users
  }

  /// Plans looks at the accounts that have come since.
  func planNew(after now: Instant) async {
    let known = users
    let count = await runtime.writer.read { $0.ledger.accounts.count }
    guard count > known else { return }
    plan.withLock { $0.users = count }
    if runtime.poller != nil { await plan(known..<count, after: now) }
  }

  /// Plans everybody anew: the clock was set back.
  func forgetPlans() {
    plan.withLock { plan in
      plan.agenda.removeAll()
      plan.users = 0
    }
  }

  /// Looks at a user and plans the next look, also when this one fails; whether there was somebody to look at.
  ///
  /// Throws when the ledger cannot be written.
  func poll(_ user: Int) async throws -> Bool {
    let result = await look(at: user)
    plan.withLock { $0.agenda.noteEnd() }
    await plan([user], after: runtime.clock.now())
    return try result.get()
  }

  private func look(at user: Int) async -> Result<Bool, any Error> {
    guard polling.withLock({ $0.insert(user).inserted }) else { return .success(false) }
    defer { polling.withLock { _ = $0.remove(user) } }
    do {
      guard let round = try await runtime.poller?.poll(user, by: planner) else {
        return .success(false)
      }
      sweep.withLock { $0.add(round) }
      await api.note(round, users: users)
      return .success(true)
    } catch {
      return .failure(error)
    }
  }

  private func plan(_ users: some Sequence<Int> & Sendable, after now: Instant) async {
    let looks = await planner.nextLooks(at: users, by: runtime.writer, after: now)
    plan.withLock { plan in for look in looks { plan.agenda.plan(look, after: now) } }
  }
}
