import CivilTime
import Foundations
import Scheduling

/// Checks every user, when due, for a streak at risk and warns if needed.
final class StreakWatch: Sendable {
  /// The maximum number of users checked in one change.
  private static let usersAtOnce = 1_024
  /// The delay before retrying warnings that could not be recorded, in seconds.
  private static let retrySeconds: Int64 = 60

  private struct Plan: Sendable {
    var queue = LookQueue()
    /// The number of accounts that have or had a place in the queue.
    var users = 0
  }

  private let warnings: StreakWarnings
  private let plan = Lock(Plan())

  /// Creates a watch; nil when no one is to be warned.
  init?(_ runtime: Runtime) {
    guard let policy = WarningPolicy(runtime.configuration) else { return nil }
    warnings = StreakWarnings(runtime.writer, policy)
  }

  /// When the next user is due; nil while there are none.
  var next: Instant? { plan.withLock { $0.queue.earliest } }

  /// Removes some due users from the queue, given `users` accounts. ``run(over:now:)`` puts them back.
  func dequeueDue(at now: Instant, users: Int) -> [Int] {
    plan.withLock { plan in
      for user in plan.users..<max(users, plan.users) { plan.queue.plan(user, at: now) }
      plan.users = max(users, plan.users)
      return plan.queue.dequeueDue(at: now, limit: Self.usersAtOnce)
    }
  }

  /// Warns the users who are due; throws when the ledger cannot be written.
  func run(over users: [Int], now: Instant) async throws {
    do {
      schedule(try await warnings.run(over: users))
    } catch {
      schedule(users.map { ($0, now.adding(seconds: Self.retrySeconds)) })
      throw error
    }
  }

  /// Plans all users anew, because the clock was set back.
  func forgetPlans() { plan.withLock { $0 = Plan() } }

  private func schedule(_ next: [(user: Int, due: Instant)]) {
    plan.withLock { plan in for entry in next { plan.queue.plan(entry.user, at: entry.due) } }
  }
}
