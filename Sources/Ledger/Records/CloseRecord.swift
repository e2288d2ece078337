public import CivilTime
public import Digests

/// A zone's day has ended and has been judged.
public struct CloseRecord: Sendable, Equatable {
  /// The IANA zone.
  public var zone: String
  /// The day and its window.
  public var window: DayWindow
  /// Users judged.
  public var users: Int
  /// How the days and missions were judged.
  public var counts: CloseCounts
  /// Points of all grants of that day to these users, adjustments included.
  public var points: Int64
  /// Exp of the same.
  public var exp: Int64
  /// Version of the time zone database.
  public var tzdata: String
  /// Sequence number of the last seal before this record.
  public var headSeq: UInt64
  /// Its hash.
  public var headHash: Digest

  /// The record with these fields.
  public init(
    zone: String, window: DayWindow, users: Int, counts: CloseCounts, points: Int64,
    exp: Int64, tzdata: String, headSeq: UInt64, headHash: Digest
  ) {
    self.zone = zone
    self.window = window
    self.users = users
    self.counts = counts
    self.points = points
    self.exp = exp
    self.tzdata = tzdata
    self.headSeq = headSeq
    self.headHash = headHash
  }
}
