import AuditReport
import Ledger
import LedgerStore

/// Compares the newest snapshot with the state that the ledger's lines make up to its seal.
enum SnapshotCheck {
  static let id = 12
  static let name = "snapshots against the ledger"

  /// Reads the ledger up to the snapshot's seal; examines nothing when there is no snapshot.
  static func check(
    _ snapshot: (head: LedgerHead, payload: [UInt8])?, in reader: LedgerReader, _ list: FindingList
  ) throws -> AuditReport.Check {
    guard let snapshot else { return AuditReport.Check(id, name, examined: 0, list) }
    var state = LedgerState()
    do {
      try reader.readRecords(after: 0) { record in
        if record.seq > snapshot.head.seq { throw Reached() }
        // A state stands at its last record, not at the seal behind it.
        if case .seal = record.body { return }
        state.apply(record)
      }
    } catch is Reached {}
    var list = list
    if let finding = finding(snapshot.payload, snapshot.head, state) { list.add(finding) }
    return AuditReport.Check(id, name, examined: 1, list)
  }

  /// The snapshot's place is passed; nothing after it is needed.
  private struct Reached: Error {}

  private static func finding(
    _ payload: [UInt8], _ head: LedgerHead, _ state: LedgerState
  ) -> AuditReport.Finding? {
    if StateSnapshot.write(state) == payload { return nil }
    // One of an older form says nothing: it is thrown away at the next start.
    guard let read = try? StateSnapshot.read(payload) else { return nil }
    let other = zip(read.accounts, state.accounts).first {
      StateSnapshot.bytes(of: $0) != StateSnapshot.bytes(of: $1)
    }
    return AuditReport.Finding(
      "the snapshot at \(head) is not what the ledger says up to there", seq: head.seq,
      user: other?.1.id)
  }
}
