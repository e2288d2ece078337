import CivilTime
import Described
import Ledger
import NotificationRelay
import RewardRules
import Scheduling

/// Makes events about what an account holds, from the state in the process that holds the ledger.
struct AccountEvents: AccountSource {
  /// The ledger's id.
  let ledger: String
  let writer: LedgerWriter

  /// Returns an event with the user's whole state after the last record. Its id names that record, so it is the same as long as
  /// the state is.
  func event(of user: String) async -> CloudEvent? {
    let found = await writer.read { state in
      (balance: state.ledger.balance(of: user), seq: state.ledger.seq, at: state.ledger.at)
    }
    guard let balance = found.balance else { return nil }
    return CloudEvent(
      id: "\(ledger)/account/\(user)/\(found.seq)", source: "urn:uuid:\(ledger)",
      type: .accountChanged, subject: user, time: found.at,
      data: Self.data.text(of: (found.seq, balance)))
  }

  func isStreakAtRisk(_ user: String) async -> Bool {
    await StreakWarnings.isAtRisk(user, by: writer)
  }

  static let data = JSONMembers<(position: UInt64, balance: Balance)> {
    $0.add("position", \.position)
    $0.include(\.balance)
  }
}
