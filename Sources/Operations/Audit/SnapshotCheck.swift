import AuditPage
import CivilTime
import Foundations
import Ledger
import LedgerStore

/// The newest snapshot that reaches no further than the ledger's head.
struct NewestSnapshot: Sendable {
  let head: LedgerHead
  let payload: [UInt8]

  /// Reads the newest whole snapshot; nil when there is none.
  init?(of reader: LedgerReader) {
    guard let newest = (try? reader.newestSnapshot()) ?? nil else { return nil }
    (head, payload) = newest
  }
}

/// Compares the newest snapshot with the state that the ledger's lines produce up to its seal.
enum SnapshotCheck {
  static let id = 12
  static let name = "snapshots"

  /// The part of a snapshot that is not about single users, for comparison with the state at its seal.
  struct Commons {
    let snapshot: NewestSnapshot
    /// The points at which the state may end: the last record before the seal, or the seal itself when the state was only read.
    private let ends: [(seq: UInt64, at: Instant)]
    private let bytes: [UInt8]
    private let ids: [String]

    /// Reads that part; nil for a snapshot of an older format, which is not compared. Blocks.
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
      try reader.scanUntilStopped(after: max(2, snapshot.head.seq) - 2, threads: 1) { record in
        ends.append((record.seq, record.at))
        return record.seq < snapshot.head.seq ? .next : .stop
      }
      guard !ends.isEmpty else { return nil }
      self.ends = ends
      self.snapshot = snapshot
      self.bytes = bytes
      self.ids = ids
    }

    /// Whether it agrees with `state`, taken at the seal.
    func agree(with state: LedgerState) -> Bool {
      ids.elementsEqual(state.accounts.lazy.map(\.id))
        && ends.contains { StateSnapshot.commonBytes(of: state, seq: $0.seq, at: $0.at) == bytes }
    }
  }

  /// Returns the check; `isRight` is whether the part that is not about single users agrees, nil when nothing was compared.
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
          "the snapshot at \(snapshot.head) differs from the ledger up to that head",
          seq: snapshot.head.seq, user: stranger))
    }
    return AuditReport.Check(id, name, examined: 1, list)
  }
}
