public import CivilTime
import Evidence
import Ledger

extension Clerk {
  /// Takes in the looks that were kept before a restart; entries of users unknown to the ledger are passed over.
  public func restore(_ entries: [LookEntry], watermark: InboxWatermark?) {
    for entry in entries {
      guard let user = desk.book.index(of: entry.user) else { continue }
      var history = entry.history
      history.forget(before: desk.book.accounts[user].boundary)
      desk.histories[user][entry.source] = history
    }
    if let watermark { desk.inboxThrough = watermark.through }
  }

  /// Voids what was seen after `now`: the clock has stepped backwards.
  public func voidLooks(after now: Instant) {
    for user in desk.histories.indices {
      for route in Source.routes { desk.histories[user][route].void(after: now) }
    }
    desk.inboxThrough = min(desk.inboxThrough, now)
  }
}
