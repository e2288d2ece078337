import CivilTime
import Scheduling
import Threading

/// Asks of every user, when the time has come, whether to warn that the streak is at risk.
final class StreakWatch: Sendable {
  /// Users that are asked for in one change.
  private static let usersAtOnce = 1_024
  /// After how long warnings that could not be recorded are tried again, in seconds.
  private static let retrySeconds: Int64 = 60

  private struct Plan: Sendable {
    var queue = LookQueue()
    /// Accounts up to this index have a place in the queue, or had one.
    var users = 0
  }

  private let warnings: StreakWarnings
  private let plan = Lock(Plan())

  /// Nil where nobody is to be warned.
  init?(_ runtime: Runtime) {
    guard let policy = WarningPolicy(runtime.configuration) else { return nil }
    warnings = StreakWarnings(runtime.writer, policy)
  }

  /// When somebody is to be asked for next; nil while nobody is known.
  var next: Instant? { plan.withLock { $0.queue.earliest } }

  /// Takes some users out whose time has come, where there are `users` accounts. They come back by ``run(over:now:)``.
  func takeDue(at now: Instant, users: Int) -> [Int] {
    plan.withLock { plan in
      for user in plan.users..<max(users, plan.users) { plan.queue.plan(user, at: now) }
      plan.users = max(users, plan.users)
      return plan.queue.takeDue(at: now, limit: Self.usersAtOnce)
    }
  }

  /// Warns whom it must; throws when the ledger cannot be written.
  func run(over users: [Int], now: Instant) async throws {
    do {
      put(try await warnings.run(over: users))
    } catch {
      put(users.map { ($0, now.adding(seconds: Self.retrySeconds)) })
      throw error
    }
  }

  /// Plans everybody anew: the clock was set back.
  func forgetPlans() { plan.withLock { $0 = Plan() } }

  private func put(_ next: [(user: Int, due: Instant)]) {
    plan.withLock { plan in for entry in next { plan.queue.plan(entry.user, at: entry.due) } }
  }
}
