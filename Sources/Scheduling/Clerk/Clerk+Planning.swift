public import CivilTime
import Evidence
import Ledger

extension Clerk {
  /// When each of these users is to be looked at next, strictly after `now`; users without days yet, removed ones and
  /// those whose zone is unknown are left out.
  public func nextLooks(
    for users: some Sequence<Int> & Sendable, by policy: PollPolicy, after now: Instant
  ) -> [(user: Int, due: Instant)] {
    users.compactMap { user in
      let account = desk.book.accounts[user]
      if account.isRemoved { return nil }
      let spread = PollPolicy.spread(of: account.id)
      guard let window = try? desk.windows(of: user, through: now).last?.window else {
        // Before the first judged day there is nothing to see.
        return account.boundary > now ? (user, account.boundary) : nil
      }
      let due = policy.nextLook(
        after: now, window: window, spread: spread, peers: desk.book.neighbours(of: account))
      return (user, due)
    }
  }
}
