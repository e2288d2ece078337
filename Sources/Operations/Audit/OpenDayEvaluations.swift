import Ledger
import Scheduling

/// Follows whose open days the engine has evaluated by all that the ledger holds about them.
///
/// Rules, excuses, moves, plans, and the close of the day before change what an open day gives. The grants that stand for it follow when the
/// engine next looks at the user.
struct OpenDayEvaluations: Sendable {
  /// The last line of an evaluation of each user's days, by account index; 0 if another line about the user came later.
  private var evaluated: [UInt64] = []
  /// The last line that changes what open days give to anybody.
  private var changed: UInt64 = 0
  /// The last close of each zone.
  private var closes: [String: UInt64] = [:]

  /// Processes the next record; `state` is the state before it.
  mutating func add(_ record: Record, before state: LedgerState) {
    switch record.body {
    case .evidence(let evidence): note(evidence.user, record.seq, state)
    case .grant(let grant):
      note(grant.user, ["live", "reconcile"].contains(grant.cause) ? record.seq : 0, state)
    case .user, .credit:
      if let user = record.body.user { note(user, 0, state) }
    case .streak(let streak) where streak.what == .repaired: note(streak.user, 0, state)
    case .close(let close): closes[close.zone] = record.seq
    case .rules, .excuse: changed = record.seq
    case .operator(let act) where act.act == .release || act.act == .undoFuture:
      changed = record.seq
    case .run(let run) where run.job == TimeZoneUse.job: changed = record.seq
    default: break
    }
  }

  private mutating func note(_ user: String, _ seq: UInt64, _ state: LedgerState) {
    guard let index = state.index(of: user) else { return }
    while evaluated.count <= index { evaluated.append(0) }
    evaluated[index] = seq
  }

  /// Whether the grants that stand for the user's open days are what the engine would give by now.
  func isCurrent(_ index: Int, in state: LedgerState) -> Bool {
    guard index < evaluated.count else { return false }
    let account = state.accounts[index]
    return evaluated[index] > max(changed, account.amended)
      && evaluated[index] > closes[state.zone(of: account)] ?? 0 && account.stopped == nil
  }
}
