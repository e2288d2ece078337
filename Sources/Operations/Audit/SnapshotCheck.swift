import AuditReport
import CivilTime
import Files
import Ledger
import LedgerStore

/// The newest snapshot, read before the ledger, which may grow meanwhile.
struct NewestSnapshot: Sendable {
  let head: LedgerHead
  let payload: [UInt8]

  /// The newest whole snapshot of a data folder; nil when there is none.
  init?(_ directory: DataDirectory) {
    guard let newest = SnapshotHeads.newest(directory) else { return nil }
    (head, payload) = newest
  }
}

/// Compares the newest snapshot with the state that the ledger's lines make up to its seal.
enum SnapshotCheck {
  static let id = 12
  static let name = "snapshots against the ledger"

  /// What of a snapshot is not about single users, to be compared with the state at its seal.
  struct Commons {
    let snapshot: NewestSnapshot
    /// Where the state may stand: at the last record before the seal, or, when nothing but reading went before, at the seal.
    private let ends: [(seq: UInt64, at: Instant)]
    private let bytes: [UInt8]
    private let ids: [String]

    /// Nil when the snapshot is of an older form and says nothing. Blocks.
    init?(_ snapshot: NewestSnapshot, in reader: LedgerReader) throws {
      var ids: [String] = []
      guard
        let bytes = try? StateSnapshot.readAccounts(
          snapshot.payload,
          { account, _ in
            ids.append(account.id)
          })
      else { return nil }
      var ends: [(seq: UInt64, at: Instant)] = []
      try reader.scan(after: max(2, snapshot.head.seq) - 2, threads: 1) { record in
        ends.append((record.seq, record.at))
        return record.seq < snapshot.head.seq ? .next : .stop
      }
      guard !ends.isEmpty else { return nil }
      self.ends = ends
      self.snapshot = snapshot
      self.bytes = bytes
      self.ids = ids
    }

    /// Whether they are those of `state`, which stands at the seal.
    func agree(with state: LedgerState) -> Bool {
      ids.elementsEqual(state.accounts.lazy.map(\.id))
        && ends.contains { StateSnapshot.commonBytes(of: state, seq: $0.seq, at: $0.at) == bytes }
    }
  }

  /// The check; `isRight` says whether what is not about single users agrees, nil when there was nothing to compare.
  static func check(
    _ snapshot: NewestSnapshot?, isRight: Bool?, stranger: String?, _ list: FindingList
  ) -> AuditReport.Check {
    var list = list
    guard let snapshot, let isRight else {
      return AuditReport.Check(id, name, examined: snapshot == nil ? 0 : 1, list)
    }
    if !isRight || stranger != nil {
      list.add(
        AuditReport.Finding(
          "the snapshot at \(snapshot.head) is not what the ledger says up to there",
          seq: snapshot.head.seq, user: stranger))
    }
    return AuditReport.Check(id, name, examined: 1, list)
  }
}
