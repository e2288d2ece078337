public import CivilTime

/// The ledgers among which the users of a database are divided, as far as closes go: whether unusually many streaks would break is
/// judged over all of them, since one alone may have too few to tell.
///
/// Each tells which days have ended for its users, and how streaks would fare once it has looked at them. It closes a day when all who
/// have users there have told. All methods throw when the others cannot be reached.
public protocol SharedCloses: Sendable {
  /// Which of the ledgers this is, from 0.
  var number: Int { get }

  /// Tells the others how things stand here; counts take the place of earlier ones. With `isRoutine` only what has changed since this
  /// process told it last.
  func tell(_ report: StreakReport, isRoutine: Bool) async throws

  /// What all have told of these closes; an open day's count from before `since` is too old.
  func told(of closes: [DueClose], since: Instant) async throws -> ToldStreaks

  /// Notes that this ledger's users were looked at and their streaks counted, and whether that found what needs attention.
  func noteCounting(_ counting: StreakCounting) async throws

  /// Returns the last counting here; nil before the first.
  func lastCounting() async throws -> StreakCounting?
}

/// What one ledger tells the others of its streaks.
public struct StreakReport: Sendable {
  /// How streaks would fare in closes that are due.
  public let counts: [DueClose: StreakCount]
  /// Those of them of which a part is closed already, for other users: earlier counts are not forgotten.
  public let closedInPart: Set<DueClose>
  /// How streaks usually fare.
  public let usual: StreakCount
  /// All days that have ended and are not closed; of others there is nothing to count any more.
  public let ended: [DueClose]
  /// When this was so.
  public let at: Instant
}

/// What ledgers have told of closes.
public struct ToldStreaks: Sendable {
  /// How streaks would fare in, or fared in, the other ledgers' parts of a close.
  public var others: [DueClose: StreakCount]
  /// How streaks usually fare in all others.
  public var usual: StreakCount
  /// What is open in the other ledgers.
  public var open: [OpenElsewhere]
  /// The numbers of the ledgers that have not counted for a close, in order, this one among them; none where all have.
  public var missing: [DueClose: [Int]]

  /// What was told; by default there is nobody else.
  public init(
    others: [DueClose: StreakCount] = [:], usual: StreakCount = StreakCount(),
    open: [OpenElsewhere] = [], missing: [DueClose: [Int]] = [:]
  ) {
    self.others = others
    self.usual = usual
    self.open = open
    self.missing = missing
  }
}

/// A day that is open in another ledger.
public struct OpenElsewhere: Sendable {
  /// The ledger's number.
  public let shard: Int
  /// The zone and the date.
  public let place: ZoneDay
  /// When it ended.
  public let end: Instant
  /// How streaks would fare, as it was counted last.
  public let count: StreakCount
  /// Whether that was recently enough.
  public let isCounted: Bool

  /// Creates an open day.
  public init(shard: Int, place: ZoneDay, end: Instant, count: StreakCount, isCounted: Bool) {
    self.shard = shard
    self.place = place
    self.end = end
    self.count = count
    self.isCounted = isCounted
  }
}

/// That a ledger's users were looked at and their streaks counted.
public struct StreakCounting: Sendable, Equatable {
  /// When it began.
  public let at: Instant
  /// Whether it found what somebody should look at.
  public let needsAttention: Bool

  /// Creates a counting.
  public init(at: Instant, needsAttention: Bool) {
    self.at = at
    self.needsAttention = needsAttention
  }
}
