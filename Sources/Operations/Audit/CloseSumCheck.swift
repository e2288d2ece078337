import CivilTime
import Ledger
import RewardRules

/// Compares each `close` with the grants that it settles.
struct CloseSumCheck: AuditCheck {
  static let id = 8
  static let name = "close sums against the grants of the day"

  var list: FindingList
  private(set) var examined = 0
  /// What the users bring whose zone change takes effect with the next close.
  private var pending = Sums()

  private struct Sums {
    var points: Int64 = 0
    var exp: Int64 = 0

    mutating func add(_ account: Account, through day: Int32) {
      for grant in account.grants where grant.day.number <= day && !grant.isReversed {
        points += grant.net.points
        exp += grant.net.exp
      }
    }
  }

  init(list: FindingList) { self.list = list }

  mutating func take(_ record: Record, before book: Book) {
    switch record.body {
    case .user(let user):
      if let day = user.takesEffect, let account = book.account(of: user.user) {
        pending.add(account, through: day.number)
      }
    case .close(let close): check(close, seq: record.seq, book)
    default: break
    }
  }

  private mutating func check(_ close: CloseRecord, seq: UInt64, _ book: Book) {
    examined += 1
    var sums = pending
    pending = Sums()
    if let zone = book.zones.firstIndex(of: close.zone) {
      for account in book.accounts where account.zone == zone && account.isSettled(by: close) {
        sums.add(account, through: close.window.day.number)
      }
    }
    if sums.points == close.points && sums.exp == close.exp { return }
    list.add(
      AuditReport.Finding(
        "the close of \(close.zone) says \(close.points) points and \(close.exp) exp; "
          + "its grants sum up to \(sums.points) and \(sums.exp)",
        seq: seq, day: close.window.day))
  }
}
