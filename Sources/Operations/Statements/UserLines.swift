import CivilTime
import Failures
import Ledger
import LedgerStore
import Scheduling

/// One user's lines of the ledger, with those about nobody, in order; and the zone in which the user lives now.
struct UserLines {
  let records: [Record]
  let zone: Zone

  /// Reads them; throws ``Failures/Failure`` when the ledger does not know the user, ``LedgerStore/LedgerError``, or a zone that
  /// the machine does not know. Blocks.
  init(_ directory: DataDirectory, of user: String, zones: any ZoneSource) throws {
    var state = LedgerState()
    var records: [Record] = []
    try LedgerReader.open(directory).readRecords(.of(.named([user]))) { record in
      state.apply(record)
      records.append(record)
    }
    guard let account = state.account(of: user) else { throw Failure.unknownUser(user) }
    self.records = records
    zone = try zones.zone(named: state.zone(of: account))
  }
}
