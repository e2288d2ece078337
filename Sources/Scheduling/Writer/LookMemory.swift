public import CivilTime
import Evidence
import Ledger

/// The looks that a writer's state holds: kept over restarts, voided when the clock steps back.
public struct LookMemory: Sendable {
  private let writer: LedgerWriter

  /// The looks of this writer's state.
  public init(_ writer: LedgerWriter) { self.writer = writer }

  /// Takes in the looks that were kept before a restart; entries of users unknown to the ledger are passed over, and so is
  /// what was seen after `now`.
  public func restore(_ entries: [LookEntry], inboxThrough: Instant?, now: Instant) async {
    await writer.read { state in
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
  public func void(after now: Instant) async { await writer.read { $0.voidLooks(after: now) } }

  /// Everything that must outlive a restart.
  public func all() async -> (entries: [LookEntry], inboxThrough: Instant?) {
    await writer.read { $0.looksToKeep }
  }

  /// Takes in the habits that were kept before a restart, by the account's index; who came later is learnt anew.
  public func restore(_ habits: [UserHabits]) async {
    await writer.read { state in
      for (user, known) in zip(state.habits.indices, habits) { state.habits[user] = known }
    }
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
    await writer.read { state in
      let (entries, inboxThrough) = state.looksToKeep
      keeper.rewrite(entries, inboxThrough: inboxThrough)
    }
  }
}

extension WorkingState {
  fileprivate var looksToKeep: (entries: [LookEntry], inboxThrough: Instant?) {
    var entries: [LookEntry] = []
    for (user, histories) in looks.enumerated() {
      let id = ledger.accounts[user].id
      for route in Source.polled where histories[route] != RouteHistory() {
        entries.append(LookEntry(user: id, source: route, history: histories[route]))
      }
    }
    return (entries, inboxThrough == .earliest ? nil : inboxThrough)
  }

  /// Voids what was seen after `now`.
  fileprivate mutating func voidLooks(after now: Instant) {
    for user in looks.indices {
      for route in Source.polled { looks[user][route].void(after: now) }
    }
    inboxThrough = min(inboxThrough, now)
  }
}
