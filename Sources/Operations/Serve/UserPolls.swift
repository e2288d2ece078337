import CivilTime
import Foundations
import Ledger
import Scheduling

/// Polls users when they are due, each at most once at a time.
final class UserPolls: Sendable {
  /// The maximum number of polls in progress.
  ///
  /// The API's client queues what exceeds its own cap, in order of arrival. The number is small enough that a last call
  /// does not wait long behind polls that could have waited.
  private static let limit = 1_024

  private struct Plan: Sendable {
    var agenda: LookAgenda
    /// The number of accounts that have or had a place in the queue.
    var users = 0
  }

  private let planner: LookPlanner
  private let runtime: Runtime
  private let api: APIWatch
  private let plan: Lock<Plan>
  private let polling = Lock<Set<Int>>([])
  private let sweep: Lock<SweepCount>
  /// Nil before the first plan.
  private let firstPolls = Lock<FirstPolls?>(nil)

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

  /// The number of known accounts.
  var users: Int { plan.withLock { $0.users } }

  /// The number of users whose next poll is planned.
  var waiting: Int { plan.withLock { $0.agenda.count } }

  /// When the next user is due; nil while no poll is planned, or until a running poll has ended.
  var next: Instant? { plan.withLock { $0.agenda.earliest } }

  /// Removes some due users from the agenda. ``poll(_:)`` puts them back.
  func dequeueDue(at now: Instant) -> [Int] {
    let users = plan.withLock { $0.agenda.dequeueDue(at: now) }
    let ended = sweep.withLock { sweep in
      defer { sweep.add(due: users.count, at: now) }
      return sweep.takeEnded(at: now)
    }
    if let ended { runtime.environment.log.info("polled users", ended) }
    return users
  }

  /// Plans polls of new accounts.
  func planNew(after now: Instant) async {
    let known = users
    let count = await runtime.writer.read { $0.ledger.accounts.count }
    guard count > known else { return }
    plan.withLock { $0.users = count }
    guard runtime.poller != nil else { return }
    await plan(known..<count, after: now)
    beginFirstPolls(at: now)
  }

  /// Logs how many users wait for their first poll, and by when the rate allows all of them; once.
  private func beginFirstPolls(at now: Instant) {
    let (users, last) = plan.withLock { ($0.agenda.users, $0.agenda.latest) }
    guard let last else { return }
    let isFirst = firstPolls.withLock { first in
      if first != nil { return false }
      first = FirstPolls(users, at: now)
      return true
    }
    if isFirst {
      runtime.environment.log.info(
        "users wait for their first poll, spread over poll.everyMinutes",
        ["users": .number(users.count), "allPolledBy": .text(last.description)])
    }
  }

  /// Plans all users anew, because the clock was set back.
  func forgetPlans() {
    plan.withLock { plan in
      plan.agenda.removeAll()
      plan.users = 0
    }
  }

  /// Polls a user and plans the next poll, even when this one fails; returns whether there was a user to poll.
  ///
  /// Throws when the ledger cannot be written.
  func poll(_ user: Int) async throws -> Bool {
    let result = await look(at: user)
    plan.withLock { $0.agenda.finishLook() }
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
      let now = runtime.clock.now()
      if let ended = firstPolls.withLock({ $0?.add(user, round, at: now) }) {
        runtime.environment.log.info("every user has been polled", ended)
      }
      await api.report(round, users: users)
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
