public import CivilTime
import Evidence
import Ledger

/// The looks that a writer's state holds: kept over restarts, voided when the clock steps back.
public struct LookMemory: Sendable {
  private let writer: LedgerWriter

  /// Creates the looks of this writer's state.
  public init(_ writer: LedgerWriter) { self.writer = writer }

  /// Voids what was seen after `now`: the clock has stepped backwards.
  public func void(after now: Instant) async { await writer.scan { $0.voidLooks(after: now) } }

  /// Everything that must outlive a restart.
  public func all() async -> (entries: [LookEntry], inboxThrough: Instant?) {
    await writer.scan { (Array($0.looksToKeep), $0.inboxToKeep) }
  }

  /// When each user tends to do something, by the account's index, with the ledger's id, to be kept; nil when nothing was
  /// learnt since this was asked last.
  public func habitsToKeep() async -> (habits: [UserHabits], ledger: String)? {
    await writer.read { state in
      defer { state.hasNewHabits = false }
      return state.hasNewHabits ? (state.habits, state.ledger.ledger) : nil
    }
  }

  /// Lets `keeper` replace all that it has by what counts; what is kept later comes after it.
  public func rewrite(in keeper: any LookKeeping) async {
    await writer.scan { state in
      keeper.rewrite(state.looksToKeep, inboxThrough: state.inboxToKeep)
    }
  }
}

extension WorkingState {
  /// Takes in a history that was kept before a restart; one of a user unknown to the ledger is passed over.
  public mutating func restore(_ entry: LookEntry) {
    guard let user = ledger.index(of: entry.user) else { return }
    var history = entry.history
    history.forget(before: ledger.accounts[user].boundary)
    looks[user][entry.source] = history
  }

  /// Takes in how far the inbox was complete before a restart, and voids what was seen after `now`, a future that was not.
  /// To be called when all histories are restored.
  public mutating func restore(inboxThrough: Instant?, now: Instant) {
    if let inboxThrough { self.inboxThrough = inboxThrough }
    voidLooks(after: now)
    recallWhatWasTold(by: now)
  }

  /// Lets the routes' histories know what the ledger says that they have told: histories may be lost, and an answer that denies
  /// what is evidence would be believed then.
  private mutating func recallWhatWasTold(by now: Instant) {
    for (user, account) in ledger.accounts.enumerated() {
      for item in account.evidence
      where Source.routes.contains(item.source) && item.activity.from <= now {
        looks[user][item.source].recall(item.activity)
      }
    }
  }

  /// Takes in the habits that were kept before a restart, by the account's index; who came later is learnt anew.
  public mutating func restore(_ habits: [UserHabits]) {
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
    // A reading stamped later was made nobody knows when; the next one proves as much.
    if inboxThrough > now { inboxThrough = .earliest }
  }
}
