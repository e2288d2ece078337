public import CivilTime
import Evidence
public import Ledger

extension Clerk {
  /// What came of lines from the inbox.
  public struct InboxReceipt: Sendable {
    /// The records that were appended, without seals.
    public var records: [Record] = []
    /// Lines that were not accepted, in order.
    public var rejected: [RejectedLine] = []
    /// Activities for closed days, which only a backfill may use.
    public var lateEvidence = 0
    /// Why users could not be judged.
    public var problems: [String] = []

    /// Nothing was taken.
    public init() {}
  }

  /// Takes in lines of one file, judges their users at once, and returns after all is on disk.
  ///
  /// Lines that were taken before add nothing. A line for an unknown user, or from more than five minutes ahead of the
  /// clock, is rejected; the others are not touched by that.
  public func take(_ lines: [InboxLine], readAt: Instant) async throws -> InboxReceipt {
    try await inTurn { clerk in try await clerk.takeInTurn(lines, readAt: readAt) }
  }

  /// Notes that the inbox was empty at `instant`: nothing else happened before it.
  ///
  /// With a required watermark, its last line decides instead.
  public func noteInbox(readAt instant: Instant, requiresWatermark: Bool) {
    if !requiresWatermark { desk.inboxThrough = max(desk.inboxThrough, instant) }
  }

  private func takeInTurn(_ lines: [InboxLine], readAt: Instant) async throws -> InboxReceipt {
    var receipt = InboxReceipt()
    var bundles: [Int: InboxBundle] = [:]
    var watermark: Instant?
    for line in lines {
      if case .completeThrough(let through) = line.entry, through <= readAt.adding(seconds: 300) {
        watermark = max(watermark ?? through, through)
      } else if let reason = sort(line.entry, readAt: readAt, into: &bundles) {
        receipt.rejected.append(RejectedLine(number: line.number, reason: reason))
      }
    }
    var drafts: [Draft] = []
    for user in bundles.keys.sorted() {
      guard let bundle = bundles[user] else { continue }
      do {
        // An activity may lie a little ahead of the clock, and so in a day that has not begun.
        let latest = bundle.activities.map(\.from).max() ?? readAt
        guard var judge = try desk.judge(of: user, now: max(readAt, latest), cause: "live") else {
          // Nothing is judged before the first day, but what a user has stays the user's.
          var draft = Draft()
          draft.bodies = bundle.credits.map { .credit($0) }
          if !draft.isEmpty { drafts.append(draft) }
          continue
        }
        judge.take(bundle.activities, observedAt: readAt)
        for credit in bundle.credits { judge.take(credit) }
        judge.judge()
        receipt.lateEvidence += judge.lateEvidence.count
        if !judge.draft.isEmpty { drafts.append(judge.draft) }
      } catch {
        receipt.problems.append("user \(desk.book.accounts[user].id): \(error)")
      }
    }
    receipt.records = try await commit(drafts)
    if let watermark {
      desk.inboxThrough = max(desk.inboxThrough, min(watermark, readAt))
      await looks.keep(watermark: InboxWatermark(through: desk.inboxThrough))
    }
    return receipt
  }

  /// What the inbox brings for one user.
  private struct InboxBundle {
    var activities: [SeenActivity] = []
    var credits: [CreditRecord] = []
  }

  /// Puts an entry with its user's others, or says why it is rejected.
  private func sort(
    _ entry: InboxEntry, readAt: Instant, into bundles: inout [Int: InboxBundle]
  ) -> String? {
    let limit = readAt.adding(seconds: 300)
    switch entry {
    case .activity(let user, let kind, let at):
      guard let index = index(of: user) else { return Self.unknown(user) }
      if at > limit { return "\(at) is more than 5 minutes ahead of the clock (\(readAt))" }
      bundles[index, default: InboxBundle()].activities.append(
        SeenActivity(kind: kind, from: at, to: at))
    case .credit(let user, let at, let exp, let items, let id):
      guard let index = index(of: user) else { return Self.unknown(user) }
      if at > limit { return "\(at) is more than 5 minutes ahead of the clock (\(readAt))" }
      // Without an id of the sender's, the same line twice is the same credit.
      let id = id ?? ([at.description, String(exp)] + items).joined(separator: " ")
      let isKnown =
        desk.book.accounts[index].creditIDs.contains(id)
        || bundles[index]?.credits.contains { $0.id == id } ?? false
      if isKnown { return nil }
      bundles[index, default: InboxBundle()].credits.append(
        CreditRecord(user: user, effective: at, exp: exp, items: items, id: id))
    case .completeThrough(let through):
      return "\(through) is more than 5 minutes ahead of the clock (\(readAt))"
    }
    return nil
  }

  private func index(of user: String) -> Int? {
    guard let index = desk.book.index(of: user), !desk.book.accounts[index].isRemoved else {
      return nil
    }
    return index
  }

  private static func unknown(_ user: String) -> String {
    "user \(user) is not in the roster; import the user with rewards users import, then hand the line in again"
  }
}
