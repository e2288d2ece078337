import Ledger

/// Follows up to which line the engine has evaluated each user's open days.
///
/// Whatever comes later, such as rules, excuses and credits, changes the grants that stand for those days only when the engine looks again.
/// What changes the days themselves, or the streak before them, does so at once; until the engine has looked, nobody can say what should stand.
struct OpenDayEvaluations: Sendable {
  /// The last line of an evaluation of each user's days, by account index; 0 if the days changed behind it.
  private var evaluated: [UInt64] = []
  /// The last close of each zone, and the time zone database that it used.
  private var closes: [String: (seq: UInt64, tzdata: String)] = [:]

  /// Processes the next record; `state` is the state before it.
  mutating func add(_ record: Record, before state: LedgerState) {
    switch record.body {
    case .evidence(let evidence): note(evidence.user, record.seq, state)
    case .grant(let grant) where grant.isOfEvaluation:
      note(grant.user, record.seq, state)
    case .user(let user): note(user.user, 0, state)
    case .streak(let streak) where streak.what == .repaired: note(streak.user, 0, state)
    case .close(let close): closes[close.zone] = (record.seq, close.tzdata)
    default: break
    }
  }

  private mutating func note(_ user: String, _ seq: UInt64, _ state: LedgerState) {
    guard let index = state.index(of: user) else { return }
    while evaluated.count <= index { evaluated.append(0) }
    evaluated[index] = seq
  }

  /// Returns the line by which the grants that stand for the user's open days are what the engine gave; nil if the days are others by now.
  /// `version` is that of the time zone database, which says where days end.
  func last(of index: Int, in state: LedgerState, tzdata version: String) -> UInt64? {
    guard index < evaluated.count, state.accounts[index].stopped == nil,
      evaluated[index] > state.accounts[index].amended,
      let close = closes[state.zone(of: state.accounts[index])], close.tzdata == version,
      evaluated[index] > close.seq
    else { return nil }
    return evaluated[index]
  }
}
