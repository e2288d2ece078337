import CivilTime
import Failures
import Ledger
import LedgerStore
import Scheduling

/// One user's ledger lines, and those about no user, in order, with the zone in which the user lives now.
struct UserLines {
  let records: [Record]
  /// What the lines come to.
  let state: LedgerState
  let account: Account
  let zone: Zone

  /// Reads the lines, or those from before `instant`; throws ``Failures/Failure`` when the ledger does not know the user, ``LedgerStore/LedgerError``, or an error
  /// about a zone that the machine does not know. Blocks.
  init(
    _ ledger: LedgerReader, of user: String, at instant: Instant? = nil, zones: any ZoneSource
  ) throws {
    var state = LedgerState()
    var records: [Record] = []
    try ledger.scan(.of(.named([user])).recorded(before: instant)) { record in
      state.apply(record)
      records.append(record)
    }
    guard let account = state.account(of: user) else { throw Failure.unknownUser(user) }
    (self.records, self.state, self.account) = (records, state, account)
    zone = try zones.zone(named: state.zone(of: account))
  }
}
