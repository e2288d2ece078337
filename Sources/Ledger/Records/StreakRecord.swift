public import CivilTime
public import Described
public import Evidence
public import RewardRules

/// The record of a day's effect on a user's streak: `broken`, `held`, `excused` or `repaired`.
public struct StreakRecord: Sendable, Equatable {
  /// The user's id.
  public var user: String
  /// The day.
  public var day: Day
  /// What happened to the streak.
  public var what: StreakChange
  /// The streak before the day.
  public var before: StreakMark
  /// The streak after the day.
  public var after: StreakMark
  /// The sources that prove a break, and how far; only for a break.
  public var proof: [StreakProof]
  /// The state the plan leaves; only on the last record of the user's part.
  public var settled: SettledChange?

  /// Creates the record of a change to a streak.
  public init(
    user: String, day: Day, what: StreakChange, before: StreakMark, after: StreakMark,
    proof: [StreakProof] = []
  ) {
    self.user = user
    self.day = day
    self.what = what
    self.before = before
    self.after = after
    self.proof = proof
  }
}

extension StreakRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.field("user", value?.pointee.user)
    day = try coder.field("day", value?.pointee.day)
    what = try coder.field("what", value?.pointee.what)
    before = try coder.field("before", value?.pointee.before)
    after = try coder.field("after", value?.pointee.after)
    proof = try coder.field("proof", value?.pointee.proof, unless: [])
    settled = try coder.optional("settled", value?.pointee.settled)
  }
}

/// What happened to a streak on a day that does not count.
public enum StreakChange: String, Sendable, CaseIterable, Word {
  case broken
  case held
  case excused
  case repaired

  /// The noun for it, used in errors.
  public static var noun: StaticString { "change of a streak" }
}

extension StreakMark: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      length: try coder.field("length", value?.pointee.length),
      cycleDay: try coder.field("cycleDay", value?.pointee.cycleDay))
  }
}

/// A source's proof that nothing happened on a day.
public struct StreakProof: Sendable, Equatable {
  /// The source.
  public var source: Source
  /// Until when its polls cover the day without a gap.
  public var through: Instant
  /// The number of its polls that were answered.
  public var looks: Int32
  /// The length of the tolerated gaps, in seconds.
  public var toleratedSeconds: Int64

  /// Creates a proof.
  public init(source: Source, through: Instant, looks: Int32, toleratedSeconds: Int64 = 0) {
    self.source = source
    self.through = through
    self.looks = looks
    self.toleratedSeconds = toleratedSeconds
  }
}

extension StreakProof: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    source = try coder.field("source", value?.pointee.source)
    through = try coder.field("through", value?.pointee.through)
    looks = try coder.field("looks", value?.pointee.looks)
    toleratedSeconds = try coder.field(
      "toleratedSeconds", value?.pointee.toleratedSeconds, unless: 0)
  }
}
