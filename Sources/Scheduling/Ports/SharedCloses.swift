public import CivilTime

/// The ledgers among which the users of a database are divided, as far as closes go: whether unusually many streaks would break is
/// judged over all of them, since one alone may have too few to tell.
///
/// Each tells how streaks would fare in its part of a close once it has looked at its users, and closes when all have told.
public protocol SharedCloses: Sendable {
  /// Which of the ledgers this is, from 0.
  var number: Int { get }

  /// Tells the others what this ledger has counted; it takes the place of what was told before. Throws when it cannot be told.
  func tell(_ report: StreakReport) async throws

  /// What all other ledgers have told of a close. Throws when it cannot be learnt.
  func others(of close: DueClose) async throws -> OtherStreaks

  /// Those of the closes that this ledger has told of. Throws when it cannot be learnt.
  func told(among closes: [DueClose]) async throws -> Set<DueClose>
}

/// What one ledger tells the others of its streaks.
public struct StreakReport: Sendable {
  /// How streaks would fare in closes that are due.
  public let counts: [DueClose: StreakCount]
  /// How they usually do.
  public let usual: StreakCount
  /// All days that have ended and are not closed. Of other days that have ended there is nothing to count.
  public let ended: [DueClose]
  /// When this was so.
  public let at: Instant
}

/// What other ledgers have told of a close.
public struct OtherStreaks: Sendable, Equatable {
  /// The sum of what was told, and of what is usual in all of them.
  public var sum: StreakCount
  /// The numbers of those that have not told yet, in order.
  public var missing: [Int]

  /// Streaks of others; by default there are no other ledgers.
  public init(sum: StreakCount = StreakCount(), missing: [Int] = []) {
    self.sum = sum
    self.missing = missing
  }
}
