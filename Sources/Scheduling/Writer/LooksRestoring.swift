public import CivilTime
import Evidence
import Ledger

extension LedgerWriter {
  /// Takes in the looks that were kept before a restart; entries of users unknown to the ledger are passed over, and so is
  /// what was seen after `now`.
  public func restore(_ entries: [LookEntry], inboxThrough: Instant?, now: Instant) async {
    await read { state in
      for entry in entries {
        guard let user = state.ledger.index(of: entry.user) else { continue }
        var history = entry.history
        history.forget(before: state.ledger.accounts[user].boundary)
        state.looks[user][entry.source] = history
      }
      if let inboxThrough { state.inboxThrough = inboxThrough }
      state.voidLooks(after: now)
    }
  }

  /// Voids what was seen after `now`: the clock has stepped backwards.
  public func voidLooks(after now: Instant) async { await read { $0.voidLooks(after: now) } }

  /// Everything that must outlive a restart.
  public func looksToKeep() async -> (entries: [LookEntry], inboxThrough: Instant?) {
    await read { $0.looksToKeep }
  }

  /// Lets `keeper` replace all that it has by what counts; what is kept later comes after it.
  public func rewriteLooks(in keeper: any LookKeeping) async {
    await read { state in
      let (entries, inboxThrough) = state.looksToKeep
      keeper.rewrite(entries, inboxThrough: inboxThrough)
    }
  }

  /// When each of these users is to be looked at next, strictly after `now`.
  public func nextLooks(
    for users: some Sequence<Int> & Sendable, by policy: PollPolicy, after now: Instant
  ) async -> [(user: Int, due: Instant)] {
    let users = Array(users)
    return await read { state in
      users.map { user in
        let account = state.ledger.accounts[user]
        let later = now.adding(seconds: policy.everySeconds)
        // Who has left may come back, and a zone that is unknown may become known: they are asked for again.
        if !account.isPresent { return (user, later) }
        let spread = PollPolicy.spread(of: account.id)
        guard let window = try? state.openWindows(of: user, through: now).last?.window else {
          // Before the first judged day there is nothing to see.
          return (user, account.boundary > now ? account.boundary : later)
        }
        let due = policy.nextLook(
          after: now, window: window, spread: spread,
          peers: state.ledger.neighbours(of: account))
        return (user, due)
      }
    }
  }
}

extension WorkingState {
  fileprivate var looksToKeep: (entries: [LookEntry], inboxThrough: Instant?) {
    var entries: [LookEntry] = []
    for (user, histories) in looks.enumerated() {
      let id = ledger.accounts[user].id
      for route in Source.routes where histories[route] != RouteHistory() {
        entries.append(LookEntry(user: id, source: route, history: histories[route]))
      }
    }
    return (entries, inboxThrough == .earliest ? nil : inboxThrough)
  }
}
