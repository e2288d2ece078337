import CivilTime
import Configuration
import Evidence
import LedgerStore
import Scheduling

/// What looks and readings of the inbox have proved about days that are not closed, as a data folder keeps it.
struct KeptLooks: Sendable {
  /// Up to where a reading of the inbox proves that nothing else happened.
  let inboxThrough: Instant
  private let byUser: [String: LookHistories]

  /// Nothing was looked at.
  init() {
    inboxThrough = .earliest
    byUser = [:]
  }

  /// What is kept of `users`, or of all when that is nil; looks of a future that was not, after `now`, prove nothing. Blocks.
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

  /// What the looks at a user's routes have proved.
  subscript(user: String) -> LookHistories { byUser[user] ?? LookHistories() }
}
