import CivilTime
import Evidence
public import Ledger

extension Clerk {
  /// The book for a snapshot, and the seal that it stands for.
  ///
  /// A copy that shares its memory until the clerk writes on: making bytes of it holds nobody up.
  public func snapshot() async -> (book: Book, head: LedgerHead) {
    await inTurn { clerk in (clerk.desk.book, clerk.ledger.head) }
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
