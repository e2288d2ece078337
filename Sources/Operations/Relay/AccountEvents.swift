import CivilTime
import Described
import Ledger
import NotificationRelay
import RewardRules
import Scheduling

/// Makes events about what an account holds, from the state in the process that holds the ledger.
struct AccountEvents: AccountSource {
  let writer: LedgerWriter
  /// Whether the events only say that something has changed, for a sink that reads the state itself.
  var isBrief = false

  /// Returns an event with the user's whole state after the last record. Its id names that record, so it is the same as long as
  /// the state is.
  func event(of user: String) async -> CloudEvent? {
    let isBrief = isBrief
    return await writer.read { state -> CloudEvent? in
      let ledger = state.ledger
      let data: String
      if isBrief {
        if ledger.index(of: user) == nil { return nil }
        data = "{}"
      } else {
        guard let balance = ledger.balance(of: user) else { return nil }
        data = Self.data.text(of: (ledger.seq, balance))
      }
      return CloudEvent(
        id: "\(ledger.ledger)/account/\(user)/\(ledger.seq)", source: "urn:uuid:\(ledger.ledger)",
        type: .accountChanged, subject: user, time: ledger.at, data: data)
    }
  }

  func isStreakAtRisk(_ user: String) async -> Bool {
    await StreakWarnings.isAtRisk(user, by: writer)
  }

  static let data = JSONMembers<(position: UInt64, balance: Balance)> {
    $0.add("position", \.position)
    $0.include(\.balance)
  }
}
