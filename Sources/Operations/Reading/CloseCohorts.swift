import CivilTime
import Ledger

/// Follows the closes of a ledger and tells whom each of them settles.
struct CloseCohorts: Sendable {
  /// Every close so far, in the order of the ledger.
  private(set) var closes: [(seq: UInt64, close: CloseRecord)] = []
  /// Users whose move takes effect with the next close, as they stand before that.
  private var pending: [Account] = []

  /// Takes the next record in; calls `body` with each account that it settles, the close, and its place in ``closes``.
  ///
  /// `state` stands before the record. Of those who live in the zone only accounts for which `isWanted` returns true are told of.
  mutating func add(
    _ record: Record, before state: LedgerState, where isWanted: (Account) -> Bool = { _ in true },
    each body: (_ place: Int, _ close: CloseRecord, Account) -> Void
  ) {
    switch record.body {
    case .user(let user):
      guard let day = user.takesEffect, let account = state.account(of: user.user) else { return }
      // The line of whoever moves follows the close; older versions of this program wrote it before.
      if let last = closes.indices.last, closes[last].close.ends(day, of: account) {
        body(last, closes[last].close, account)
      } else {
        pending.append(account)
      }
    case .close(let close):
      closes.append((record.seq, close))
      let last = closes.count - 1
      for account in pending { body(last, close, account) }
      pending = []
      guard let zone = state.users.zones.index(of: close.zone) else { return }
      let accounts = state.accounts
      for resident in state.residents(of: zone) {
        let index = Int(resident)
        guard isWanted(accounts[index]), accounts[index].zone == zone,
          accounts[index].isSettled(by: close)
        else { continue }
        body(last, close, accounts[index])
      }
    default: break
    }
  }
}

extension CloseRecord {
  /// Whether the day of a user who moves ends with this close.
  fileprivate func ends(_ day: Day, of account: Account) -> Bool {
    window.day == day && account.boundary < window.end
  }
}
