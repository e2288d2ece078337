package import CivilTime
import Evidence
import Ledger

/// The polls in a writer's state, kept across restarts and voided when the clock steps back.
package struct LookMemory: Sendable {
  private let writer: LedgerWriter

  /// Creates the polls of this writer's state.
  package init(_ writer: LedgerWriter) { self.writer = writer }

  /// Voids what was seen after `now`, because the clock has stepped back.
  package func void(after now: Instant) async { await writer.scan { $0.voidLooks(after: now) } }

  /// Drops what the polls of a user have shown, and the user's habits; returns whether there was anything.
  package func forget(_ user: String) async -> Bool {
    await writer.scan { state in
      guard let index = state.ledger.index(of: user) else { return false }
      let hadAny = Source.polled.contains { state.looks[index][$0] != RouteHistory() }
      state.looks[index] = LookHistories()
      state.habits[index] = UserHabits(since: state.clock.now())
      state.hasNewHabits = true
      return hadAny
    }
  }

  /// Returns everything that must outlive a restart.
  package func all() async -> (entries: [LookEntry], inboxThrough: Instant?) {
    await writer.scan { (Array($0.looksToKeep), $0.inboxToKeep) }
  }

  /// Returns the habits to store, by account index, with the ledger's id; nil if nothing was learnt since the last
  /// call.
  package func habitsToKeep() async -> (habits: [UserHabits], ledger: String)? {
    await writer.read { state in
      defer { state.hasNewHabits = false }
      return state.hasNewHabits ? (state.habits, state.ledger.ledger) : nil
    }
  }

  /// Replaces everything in `keeper` with the current polls. Later entries follow them.
  package func rewrite(in keeper: any LookKeeping) async {
    await writer.scan { state in
      keeper.rewrite(state.looksToKeep, inboxThrough: state.inboxToKeep)
    }
  }
}

extension WorkingState {
  /// Restores a history kept before a restart. Ignores one of a user unknown to the ledger.
  package mutating func restore(_ entry: LookEntry) {
    guard let user = ledger.index(of: entry.user) else { return }
    var history = entry.history
    history.forget(before: ledger.accounts[user].boundary)
    looks[user][entry.source] = history
  }

  /// Restores how far the inbox was complete before a restart, and voids what was seen after `now`, in a future that
  /// never came. Call it after all histories are restored.
  package mutating func restore(inboxThrough: Instant?, now: Instant) {
    if let inboxThrough { self.inboxThrough = inboxThrough }
    voidLooks(after: now)
    restoreFromLedger(by: now)
  }

  /// Adds to the route histories what they have shown according to the ledger. Histories may be lost, and then an
  /// answer that contradicts evidence would be believed.
  private mutating func restoreFromLedger(by now: Instant) {
    for (user, account) in ledger.accounts.enumerated() {
      for item in account.evidence
      where Source.routes.contains(item.source) && item.activity.from <= now {
        looks[user][item.source].recall(item.activity)
      }
    }
  }

  /// Restores the habits kept before a restart, by account index. Later users are learnt anew.
  package mutating func restore(_ habits: [UserHabits]) {
    for (user, known) in zip(self.habits.indices, habits) { self.habits[user] = known }
  }

  fileprivate var looksToKeep: some Sequence<LookEntry> {
    looks.indices.lazy.flatMap { user in
      Source.polled.lazy.compactMap { route in
        let history = looks[user][route]
        return history == RouteHistory()
          ? nil : LookEntry(user: ledger.accounts[user].id, source: route, history: history)
      }
    }
  }

  fileprivate var inboxToKeep: Instant? { inboxThrough == .earliest ? nil : inboxThrough }

  /// Voids what was seen after `now`.
  fileprivate mutating func voidLooks(after now: Instant) {
    for user in looks.indices {
      for route in Source.polled { looks[user][route].void(after: now) }
    }
    // The time of a later-stamped reading is unknown, and the next reading proves as much.
    if inboxThrough > now { inboxThrough = .earliest }
  }
}
