public import CivilTime
import Evidence
public import Ledger

/// All that the clerk knows: the book, the looks of open days, and what days and rules are.
///
/// A value owned by the ``Clerk``; changed only by what is committed.
public struct Desk: Sendable {
  /// The fold over the ledger.
  public internal(set) var book: Book
  /// What does not change from user to user.
  public internal(set) var context: JudgeContext
  /// The zones.
  public let zones: any ZoneSource
  /// The looks of each account's open days, by the account's index.
  var histories: [LookHistories] = []
  /// Up to where the inbox proves that nothing else happened.
  public internal(set) var inboxThrough: Instant = .earliest
  private var openDays: OpenDays

  init(book: Book, context: JudgeContext, zones: any ZoneSource) {
    self.book = book
    self.context = context
    self.zones = zones
    openDays = OpenDays(zones: zones)
    histories = Array(repeating: LookHistories(), count: book.accounts.count)
  }

  /// The open days of a user up to the one that contains `now`; see `OpenDays`.
  mutating func windows(of user: Int, through now: Instant) throws(ZoneError) -> [UserWindow] {
    let account = book.accounts[user]
    if account.isRemoved { return [] }
    return try openDays.windows(of: account, zone: book.zone(of: account), through: now)
  }

  /// Forgets windows that were computed by an older time zone database.
  mutating func forgetWindows() { openDays.forget() }

  /// A judge over a user's open days, not run yet; nil before the first judged day.
  mutating func judge(
    of user: Int, now: Instant, cause: String, closingThrough: Instant? = nil
  ) throws(ZoneError) -> UserJudge? {
    let windows = try windows(of: user, through: now)
    if windows.isEmpty { return nil }
    let account = book.accounts[user]
    let book = book
    return UserJudge(
      account: account, windows: windows, histories: histories[user], context: context,
      inboxThrough: inboxThrough, cause: cause, closingThrough: closingThrough,
      isExcused: { book.isExcused(user: account.id, day: $0) })
  }

  /// The routes worth asking for a user now: those whose kind is needed and not met on the running day, or not covered
  /// at the end of an earlier open one.
  mutating func routes(for user: Int, now: Instant) throws(ZoneError) -> [Source] {
    let windows = try windows(of: user, through: now)
    let account = book.accounts[user]
    if account.stopped != nil { return [] }
    return Source.routes.filter { route in
      guard let kind = route.polledKind, context.watched.contains(kind) else { return false }
      return windows.contains { window in
        guard context.kinds(on: window.day).contains(kind) else { return false }
        let policy = context.policy(on: window.day)
        let isMet =
          RecordedEvidence.touch(
            of: window.window, by: kind, in: account.evidence, counting: policy.counts) != nil
        if isMet { return false }
        if window.window.contains(now) { return true }
        let covered = histories[user][route].coverage
        return !covered.covers(from: window.end.adding(seconds: -1), to: window.end)
      }
    }
  }
}
