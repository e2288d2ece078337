public import CivilTime
import Evidence
import Ledger

extension Clerk {
  /// When each of these users is to be looked at next, strictly after `now`.
  public func nextLooks(
    for users: some Sequence<Int> & Sendable, by policy: PollPolicy, after now: Instant
  ) -> [(user: Int, due: Instant)] {
    users.map { user in
      let account = desk.book.accounts[user]
      let later = now.adding(seconds: policy.everySeconds)
      // Who has left may come back, and a zone that is unknown may become known: they are asked for again.
      if account.isRemoved { return (user, later) }
      let spread = PollPolicy.spread(of: account.id)
      guard let window = try? desk.windows(of: user, through: now).last?.window else {
        // Before the first judged day there is nothing to see.
        return (user, account.boundary > now ? account.boundary : later)
      }
      let due = policy.nextLook(
        after: now, window: window, spread: spread, peers: desk.book.neighbours(of: account))
      return (user, due)
    }
  }
}
