public import CivilTime
public import Evidence
public import RewardRules
internal import StrictJSON

/// A user's day on which the streak was broken, held, excused or repaired.
public struct StreakRecord: Sendable, Equatable {
  /// The user's id.
  public var user = ""
  /// The day.
  public var day = Day(number: 0)
  /// What happened to the streak.
  public var what = StreakChange.broken
  /// The streak before the day.
  public var before = StreakMark()
  /// The streak after the day.
  public var after = StreakMark()
  /// Of a break: which sources were looked at, and how far they prove.
  public var proof: [StreakProof] = []
  /// What a plan leaves; on the last record of a user's part only.
  public var settled: SettledChange?

  init() {}

  /// The record of what became of a streak.
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

extension StreakRecord: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    try coder.field("user", &user)
    try coder.field("day", &day)
    try coder.field("what", &what)
    try coder.field("before", &before)
    try coder.field("after", &after)
    try coder.field("proof", &proof, unless: [])
    try coder.field("settled", &settled)
  }
}

/// What happened to a streak on a day that does not count.
public enum StreakChange: String, Sendable, CaseIterable, LineWord {
  case broken
  case held
  case excused
  case repaired

  static var blank: StreakChange { .broken }
  static var noun: StaticString { "change of a streak" }
}

/// A streak's length and cycle day after a day.
public struct StreakMark: Sendable, Equatable {
  /// Counted days in a row.
  public var length: Int32 = 0
  /// The day of the cycle, from 1; 0 when there is none.
  public var cycleDay: Int32 = 0

  init() {}

  /// A length and a cycle day.
  public init(length: Int32, cycleDay: Int32) {
    self.length = length
    self.cycleDay = cycleDay
  }

  /// What of a streak is written down.
  public init(_ state: StreakState) { self.init(length: state.length, cycleDay: state.cycleDay) }
}

extension StreakMark: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    try coder.field("length", &length)
    try coder.field("cycleDay", &cycleDay)
  }
}

/// How a source proves that nothing happened on a day.
public struct StreakProof: Sendable, Equatable {
  /// The source.
  public var source = Source.inbox
  /// Up to where its looks cover the time since the day's beginning without a gap.
  public var through = Instant.earliest
  /// How many of its looks have been answered.
  public var looks: Int32 = 0
  /// How many seconds of gaps were tolerated.
  public var toleratedSeconds: Int64 = 0

  init() {}

  /// A proof.
  public init(source: Source, through: Instant, looks: Int32, toleratedSeconds: Int64 = 0) {
    self.source = source
    self.through = through
    self.looks = looks
    self.toleratedSeconds = toleratedSeconds
  }
}

extension StreakProof: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    try coder.field("source", &source)
    try coder.field("through", &through)
    try coder.field("looks", &looks)
    try coder.field("toleratedSeconds", &toleratedSeconds, unless: 0)
  }
}

/// A user reached a level; or, with `exp`, a plan says on which level the user stands, where the sums of its records do not
/// lead there.
public struct LevelRecord: Sendable, Equatable {
  /// The user's id.
  public var user = ""
  /// The level.
  public var level: Int32 = 1
  /// When; of a correction the end of the last closed day.
  public var effective = Instant.earliest
  /// Of a correction: exp within the level behind the last closed day.
  public var exp: Int64?
  /// What a plan leaves; on the last record of a user's part only.
  public var settled: SettledChange?

  init() {}

  /// The record of a level.
  public init(user: String, level: Int32, effective: Instant, exp: Int64? = nil) {
    self.user = user
    self.level = level
    self.effective = effective
    self.exp = exp
  }
}

extension LevelRecord: LineObject {
  static let names = fieldNames(of: Self.self)

  mutating func describe<Coder: FieldCoder & ~Copyable>(
    _ coder: inout Coder
  ) throws(JSONError) {
    try coder.field("user", &user)
    try coder.field("level", &level)
    try coder.field("effective", &effective)
    try coder.field("exp", &exp)
    try coder.field("settled", &settled)
  }
}
