import CivilTime
import Configuration
import Evidence
import LedgerStore
import Scheduling

/// What polls and inbox readings prove about open days, as stored in a data folder.
struct KeptLooks: Sendable {
  /// The time up to which the inbox is complete evidence.
  let inboxThrough: Instant
  private let byUser: [String: LookHistories]

  /// Creates an empty result, without any polls.
  init() {
    inboxThrough = .earliest
    byUser = [:]
  }

  /// Reads what is stored about `users`, or about everyone when nil; ignores polls later than `now`, from a clock that
  /// was ahead. Blocks.
  init(_ configuration: Configuration, now: Instant, of users: Set<String>?) throws {
    var byUser: [String: LookHistories] = [:]
    let found = try LookJournal(configuration.directory).read(of: users) { entry in
      var history = entry.history
      history.void(after: now)
      byUser[entry.user, default: LookHistories()][entry.source] = history
    }
    inboxThrough = min(found.inboxThrough ?? .earliest, now)
    self.byUser = byUser
  }

  /// What the polls of a user's routes prove.
  subscript(user: String) -> LookHistories { byUser[user] ?? LookHistories() }
}
