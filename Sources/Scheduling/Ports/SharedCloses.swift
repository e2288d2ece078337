package import CivilTime

/// What ledgers that share a database's users exchange about closes. Whether unusually many streaks would break is
/// judged over all of them, since one alone may have too few to tell.
///
/// Each ledger reports which days have ended for its users and, after polling them, how streaks would fare. It
/// closes a day once every ledger with users there has reported. All methods throw if the others cannot be reached.
package protocol SharedCloses: Sendable {
  /// The number of this ledger, from 0.
  var number: Int { get }

  /// Reports this ledger's state to the others; its counts replace earlier ones. With `isRoutine`, sends only what
  /// has changed since this process last reported it.
  func publish(_ report: StreakReport, isRoutine: Bool) async throws

  /// Returns what all ledgers have reported for these closes. A count of an open day from before `since` is too old.
  func published(of closes: [DueClose], since: Instant) async throws -> PublishedStreaks

  /// Records that this ledger's users were polled and their streaks counted, and whether that needs attention.
  func recordCounting(_ counting: StreakCounting) async throws

  /// Returns this ledger's last counting; nil before the first.
  func lastCounting() async throws -> StreakCounting?
}

/// One ledger's report to the others about its streaks.
package struct StreakReport: Sendable {
  /// How streaks would fare in the closes that are due.
  package let counts: [DueClose: StreakCount]
  /// Which of these closes are already done in part, for other users, so that earlier counts are not forgotten.
  package let closedInPart: Set<DueClose>
  /// How streaks usually fare.
  package let usual: StreakCount
  /// All days that have ended and are not closed; other days need no more counting.
  package let ended: [DueClose]
  /// When the report was made.
  package let at: Instant
}

/// The reports of ledgers about closes.
package struct PublishedStreaks: Sendable {
  /// How streaks would fare, or have fared, in the other ledgers' parts of a close.
  package var others: [DueClose: StreakCount]
  /// How streaks usually fare in all other ledgers.
  package var usual: StreakCount
  /// The days still open in other ledgers.
  package var open: [OpenElsewhere]
  /// The numbers of the ledgers that have not counted for a close, in order, including this one; absent if all have.
  package var missing: [DueClose: [Int]]

  /// Creates the reports; by default there are no other ledgers.
  package init(
    others: [DueClose: StreakCount] = [:], usual: StreakCount = StreakCount(),
    open: [OpenElsewhere] = [], missing: [DueClose: [Int]] = [:]
  ) {
    self.others = others
    self.usual = usual
    self.open = open
    self.missing = missing
  }
}

/// A day still open in another ledger.
package struct OpenElsewhere: Sendable {
  /// The ledger's number.
  package let shard: Int
  /// The zone and the date.
  package let place: ZoneDay
  /// When it ended.
  package let end: Instant
  /// How streaks would fare, by the last count.
  package let count: StreakCount
  /// Whether that count is recent enough.
  package let isCounted: Bool

  package init(shard: Int, place: ZoneDay, end: Instant, count: StreakCount, isCounted: Bool) {
    self.shard = shard
    self.place = place
    self.end = end
    self.count = count
    self.isCounted = isCounted
  }
}

/// The counting of a ledger's streaks after polling its users.
package struct StreakCounting: Sendable, Equatable {
  /// When it began.
  package let at: Instant
  /// Whether it found anything that needs attention.
  package let needsAttention: Bool

  package init(at: Instant, needsAttention: Bool) {
    self.at = at
    self.needsAttention = needsAttention
  }
}
