import AuditReport
import CivilTime
import Ledger
import RewardRules

/// Compares each `close` with the grants that it settles.
struct CloseSumCheck: AuditCheck {
  static let id = 8
  static let name = "close sums against the grants of the day"

  private(set) var list: FindingList
  var examined: Int { closes.count }
  /// Every close, in the order of the ledger, with what the grants of the users seen come to.
  private var closes: [Entry] = []
  /// What the users bring whose zone change takes effect with the next close.
  private var pending = Sums()

  private struct Entry {
    let seq: UInt64
    let close: CloseRecord
    var sums: Sums
  }

  private struct Sums {
    var points: Int64 = 0
    var exp: Int64 = 0

    mutating func add(_ account: Account, through day: Int32) {
      for grant in account.grants.open where grant.day.number <= day && !grant.isReversed {
        points += grant.net.points
        exp += grant.net.exp
      }
    }
  }

  init(list: FindingList) { self.list = list }

  mutating func add(_ record: Record, before state: LedgerState) {
    switch record.body {
    case .user(let user):
      guard let day = user.takesEffect, let account = state.account(of: user.user) else { return }
      // The line of whoever moves follows the close; older versions of this program wrote it before.
      if let last = closes.indices.last, closes[last].close.ends(day, of: account) {
        closes[last].sums.add(account, through: day.number)
      } else {
        pending.add(account, through: day.number)
      }
    case .close(let close):
      var sums = pending
      pending = Sums()
      if let zone = state.users.zones.index(of: close.zone) {
        let accounts = state.accounts
        for resident in state.residents(of: zone) {
          let index = Int(resident)
          guard !accounts[index].grants.open.isEmpty, accounts[index].zone == zone,
            accounts[index].isSettled(by: close)
          else { continue }
          sums.add(accounts[index], through: close.window.day.number)
        }
      }
      closes.append(Entry(seq: record.seq, close: close, sums: sums))
    default: break
    }
  }

  /// Every share of the users sees every close.
  mutating func merge(_ other: CloseSumCheck) {
    for (index, entry) in other.closes.enumerated() {
      closes[index].sums.points += entry.sums.points
      closes[index].sums.exp += entry.sums.exp
    }
  }

  mutating func conclude() {
    for entry in closes {
      let (close, sums) = (entry.close, entry.sums)
      if sums.points == close.points && sums.exp == close.exp { continue }
      list.add(
        AuditReport.Finding(
          "the close of \(close.zone) says \(close.points) points and \(close.exp) exp; "
            + "its grants sum up to \(sums.points) and \(sums.exp)",
          seq: entry.seq, day: close.window.day))
    }
  }
}

extension CloseRecord {
  /// Whether the day of a user who moves ends with this close.
  fileprivate func ends(_ day: Day, of account: Account) -> Bool {
    window.day == day && account.boundary < window.end
  }
}
