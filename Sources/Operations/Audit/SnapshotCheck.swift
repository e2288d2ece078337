import Ledger

/// Compares the newest snapshot with the book that the ledger's lines make up to its seal.
struct SnapshotCheck: AuditCheck {
  static let id = 12
  static let name = "snapshots against the ledger"

  var list: FindingList
  private let snapshot: (head: LedgerHead, payload: [UInt8])?
  private var isDone = false
  var examined: Int { isDone ? 1 : 0 }

  init(list: FindingList, snapshot: (head: LedgerHead, payload: [UInt8])?) {
    self.list = list
    self.snapshot = snapshot
  }

  mutating func take(_ record: Record, before book: Book) {
    if let snapshot, !isDone, record.seq > snapshot.head.seq { compare(book) }
  }

  mutating func finish(_ book: Book) {
    if !isDone { compare(book) }
  }

  private mutating func compare(_ book: Book) {
    guard let snapshot else { return }
    isDone = true
    if BookSnapshot.write(book) == snapshot.payload { return }
    // One of an older form says nothing: it is thrown away at the next start.
    guard let read = try? BookSnapshot.read(snapshot.payload) else { return }
    let other = zip(read.accounts, book.accounts).first {
      BookSnapshot.line(of: $0) != BookSnapshot.line(of: $1)
    }
    list.add(
      AuditReport.Finding(
        "the snapshot at \(snapshot.head) is not what the ledger says up to there",
        seq: snapshot.head.seq, user: other?.1.id))
  }
}
