import CivilTime
import Evidence
public import Ledger

extension Clerk {
  /// The book as bytes for a snapshot, and the seal that it stands for.
  public func snapshot() async -> (payload: [UInt8], head: LedgerHead) {
    await inTurn { clerk in (BookSnapshot.write(clerk.desk.book), clerk.ledger.head) }
  }

  /// Everything that the journal of looks must hold.
  public func looksToKeep() -> (entries: [LookEntry], watermark: InboxWatermark?) {
    var entries: [LookEntry] = []
    for (user, histories) in desk.histories.enumerated() {
      let id = desk.book.accounts[user].id
      for route in Source.routes where histories[route] != SourceHistory() {
        entries.append(LookEntry(user: id, source: route, history: histories[route]))
      }
    }
    let watermark =
      desk.inboxThrough == .earliest ? nil : InboxWatermark(through: desk.inboxThrough)
    return (entries, watermark)
  }
}
