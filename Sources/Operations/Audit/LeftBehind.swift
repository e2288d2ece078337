import AuditPage
import CivilTime
import Engine
import Ledger
import Scheduling

/// Finds users whom a close of their zone left behind: it closed the day that is still their current one, or a later one.
struct LeftBehind: Sendable {
  /// A close: its line and its day.
  private typealias Close = (seq: UInt64, day: Day)

  /// The latest day closed in each zone.
  private var closes: [String: Close] = [:]
  /// The last line about each user, by account index; 0 when none was read.
  private var userLines: [UInt64] = []

  /// Processes the next record; `state` is the state before it.
  mutating func add(_ record: Record, before state: LedgerState) {
    switch record.body {
    case .close(let close) where close.window.day >= closes[close.zone]?.day ?? close.window.day:
      closes[close.zone] = (record.seq, close.window.day)
    case .user(let user):
      let index = state.index(of: user.user) ?? state.accounts.count
      while userLines.count <= index { userLines.append(0) }
      userLines[index] = record.seq
    default: break
    }
  }

  /// Returns the findings at the end, without users who joined, moved, left or returned since the close.
  func findings(_ state: LedgerState, zones: any ZoneSource) -> [AuditReport.Finding] {
    let windows = Windows(zones: zones)
    return state.accounts.indices.compactMap { index in
      let account = state.accounts[index]
      // For a user who left, the day of leaving is the last.
      if account.stopped != nil || account.leftAt.map({ $0 < account.boundary }) ?? false {
        return nil
      }
      let open = try? windows.all(
        of: account, zone: state.zone(of: account), through: account.boundary, in: state)
      guard let window = open?.first, let close = closes[window.zone] else { return nil }
      // When a user moved, the zone's name may have been unknown; it was known when the zone itself was closed.
      let ways =
        account.changes.map(\.zone) + account.comebacks.map { state.users.zones[$0.zone] }
      let line = index < userLines.count ? userLines[index] : 0
      guard
        ([window.zone] + ways).allSatisfy({ zone in
          closes[zone].map { $0.day >= window.day && $0.seq > line } ?? false
        })
      else { return nil }
      return AuditReport.Finding(
        "\(window.day) was not closed for \(account.id), although \(close.day) was closed in \(window.zone)",
        seq: close.seq, user: account.id, day: window.day)
    }
  }
}
