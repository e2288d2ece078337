import CivilTime
import Ledger
import RewardRules

/// Follows the closes of a ledger and determines whose days each of them closes.
struct CloseCohorts: Sendable {
  /// Every close so far, in the order of the ledger.
  private(set) var closes: [(seq: UInt64, close: CloseRecord)] = []
  /// The users whose move takes effect with the next close, as they were before it.
  private var pending: [Member] = []

  /// What a close closes for one user.
  struct Member: Sendable {
    /// The standing grants for open days.
    let grants: [StandingGrant]
    /// The changes of the streak on open days that do not count.
    let marks: [DayMark]
    /// The streak before the day.
    let streak: StreakState
    /// The line of the user's own that ends the day; nil if the close does.
    let line: UInt64?
  }

  /// Processes the next record; calls `body` with each user whose day it closes, the close, and its place in
  /// ``closes``.
  ///
  /// `state` is the state before the record.
  mutating func add(
    _ record: Record, before state: LedgerState,
    each body: (_ place: Int, _ close: CloseRecord, Member) -> Void
  ) {
    switch record.body {
    case .user(let user):
      guard let day = user.takesEffect, let index = state.index(of: user.user) else { return }
      // The line about a user who moves follows the close; older versions of this program wrote it before.
      if let last = closes.indices.last, closes[last].close.ends(day, of: state.accounts[index]) {
        body(last, closes[last].close, Member(state.accounts, index, record.seq))
      } else {
        pending.append(Member(state.accounts, index, record.seq))
      }
    case .close(let close):
      closes.append((record.seq, close))
      let last = closes.count - 1
      for member in pending { body(last, close, member) }
      pending = []
      guard let zone = state.users.zones.index(of: close.zone) else { return }
      let accounts = state.accounts
      for resident in state.residents(of: zone) {
        let index = Int(resident)
        guard accounts[index].zone == zone, state.users.isClosed(index, by: close)
        else { continue }
        body(last, close, Member(accounts, index))
      }
    default: break
    }
  }
}

extension CloseCohorts.Member {
  // Access by index, so that nothing else of the account is copied.
  fileprivate init(_ accounts: AccountPages, _ index: Int, _ line: UInt64? = nil) {
    self.init(
      grants: accounts[index].grants.open, marks: accounts[index].marks,
      streak: accounts[index].state.streak, line: line)
  }
}

extension CloseRecord {
  /// Whether this close ends the day of a user who moves.
  fileprivate func ends(_ day: Day, of account: Account) -> Bool {
    window.day == day && account.boundary < window.end
  }
}
