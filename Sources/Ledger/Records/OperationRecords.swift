public import CivilTime
public import Described

/// A job ran, or was skipped.
public struct RunRecord: Sendable, Equatable {
  /// The job's name.
  public var job: String
  /// The zone, `*` for all.
  public var zone: String
  /// When it was due.
  public var nominal: Instant
  /// The local time that names the fire, as `2026-11-20T00:30`.
  public var nominalLocal: String
  /// The job's schedule then; nil for what no schedule asks for, and in lines of older versions.
  public var schedule: String?
  /// When it ran.
  public var actual: Instant
  /// How it ended, in a word.
  public var outcome: String
  /// Why it did not run, or failed.
  public var reason: String?
  /// What it did, in figures.
  public var counts: [RunCount]

  /// Creates the record of a run.
  public init(
    job: String, zone: String, nominal: Instant, nominalLocal: String, schedule: String? = nil,
    actual: Instant, outcome: String, reason: String? = nil, counts: [RunCount] = []
  ) {
    self.job = job
    self.zone = zone
    self.nominal = nominal
    self.nominalLocal = nominalLocal
    self.schedule = schedule
    self.actual = actual
    self.outcome = outcome
    self.reason = reason
    self.counts = counts
  }
}

/// A figure of a run.
public struct RunCount: Sendable, Equatable {
  /// What is counted.
  public var name: String
  /// How many.
  public var value: Int64

  /// Creates a figure.
  public init(name: String, value: Int64) {
    self.name = name
    self.value = value
  }
}

/// Figures by name, in an order of their own.
struct Figures: Described {
  var counts: [RunCount]

  static func code<C: Medium>(_ value: Figures?, with coder: inout C) throws(C.Failure) -> Figures {
    let rows = try coder.table(value?.counts.map { (name: $0.name, value: $0.value) })
    return Figures(counts: rows.map { RunCount(name: $0.name, value: $0.value) })
  }
}

extension RunRecord: DescribedObject {
  /// Creates the fields, in the order in which they stand in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    job = try coder.field("job", value?.pointee.job)
    zone = try coder.field("zone", value?.pointee.zone)
    nominal = try coder.field("nominal", value?.pointee.nominal)
    nominalLocal = try coder.field("nominalLocal", value?.pointee.nominalLocal)
    schedule = try coder.optional("schedule", value?.pointee.schedule)
    actual = try coder.field("actual", value?.pointee.actual)
    outcome = try coder.field("outcome", value?.pointee.outcome)
    reason = try coder.optional("reason", value?.pointee.reason)
    counts = try coder.field("counts", (value?.pointee.counts).map(Figures.init)).counts
  }
}

/// Something was not accepted.
public struct RefusedRecord: Sendable, Equatable {
  /// What was refused.
  public enum Reason: String, Sendable, CaseIterable, Word {
    /// A grant beyond a limit, which waits for an operator.
    case heldBack
    /// Two grants under one key.
    case keyConflict
    /// An activity that cannot be.
    case badEvidence
    /// An answer that contradicts an earlier one.
    case lyingAnswer
    /// Evidence for a closed day, in lines of older versions of this program.
    case lateEvidence

    /// For errors.
    public static var noun: StaticString { "reason of a refusal" }
  }

  /// The user, when there is one.
  public var user: String?
  /// The day, when there is one.
  public var day: Day?
  /// What was refused.
  public var what: Reason
  /// The key of a grant that was held back or conflicts.
  public var key: String?
  /// Place, cause and remedy.
  public var detail: String
  /// Points held back, else 0.
  public var points: Int64
  /// Exp held back, else 0.
  public var exp: Int64
  /// The streak after the day, when the grant held back is a login's: the day counts all the same.
  public var streak: StreakMark?
  /// What a plan leaves; on the last record of a user's part only.
  public var settled: SettledChange?

  /// Creates the record of a refusal.
  public init(
    user: String? = nil, day: Day? = nil, what: Reason, key: String? = nil, detail: String,
    points: Int64 = 0, exp: Int64 = 0, streak: StreakMark? = nil
  ) {
    self.user = user
    self.day = day
    self.what = what
    self.key = key
    self.detail = detail
    self.points = points
    self.exp = exp
    self.streak = streak
  }
}

extension RefusedRecord: DescribedObject {
  /// Creates the fields, in the order in which they stand in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.optional("user", value?.pointee.user)
    day = try coder.optional("day", value?.pointee.day)
    what = try coder.field("what", value?.pointee.what)
    key = try coder.optional("key", value?.pointee.key)
    detail = try coder.field("detail", value?.pointee.detail)
    points = try coder.field("points", value?.pointee.points)
    exp = try coder.field("exp", value?.pointee.exp)
    streak = try coder.optional("streak", value?.pointee.streak)
    settled = try coder.optional("settled", value?.pointee.settled)
  }
}

/// A person's act.
public struct OperatorRecord: Sendable, Equatable {
  /// What a person can do.
  public enum Act: String, Sendable, CaseIterable, Word {
    /// Pauses a job.
    case pause
    /// Lets a job run again.
    case resume
    /// Brings in a job, or another schedule or zone of one: of the time before nothing is owed.
    case schedule
    /// Confirms the clock.
    case acceptClock
    /// Takes back what a clock that was ahead has written: every line after the one that ``subject`` numbers, up to this one. It begins
    /// a segment, and is recorded before the lines that it takes back.
    case undoFuture
    /// Confirms a close that the mass-break guard holds back.
    case confirmClose
    /// Lets a grant through that a limit holds back.
    case release
    /// Grants something by hand.
    case grant
    /// Brings users in with opening balances.
    case bringIn = "import"
    /// Puts rules documents into use.
    case rules
    /// Applies a plan; what it brings follows under the same name.
    case apply
    /// Asks for something that one person alone may not do.
    case request
    /// Lets a second person's word stand for such a request.
    case approve

    /// For errors.
    public static var noun: StaticString { "act" }
  }

  /// What was done.
  public var act: Act
  /// On what: a job, `JOB|ZONE`, a key, `ZONE/DAY`, a clock reading, the number of a line, or the id of a plan or of a request.
  public var subject: String
  /// What a request asks for or a plan brings, in words; the schedule of a job.
  public var what: String?
  /// Why.
  public var reason: String
  /// Who.
  public var actor: String

  /// Creates the record of an act.
  public init(act: Act, subject: String, what: String? = nil, reason: String, actor: String) {
    self.act = act
    self.subject = subject
    self.what = what
    self.reason = reason
    self.actor = actor
  }
}

extension Record {
  /// The numbers of the lines that the record takes back; nil for one that takes none back.
  public var undone: ClosedRange<UInt64>? {
    guard case .operator(let act) = body, act.act == .undoFuture, let last = UInt64(act.subject),
      last > 0, last < seq - 1
    else { return nil }
    return last + 1...seq - 1
  }

  /// Returns whether the record is taken back by one of these ranges.
  public func isUndone(by ranges: [ClosedRange<UInt64>]) -> Bool {
    ranges.takesBack(seq, isSeal: body.type == .seal)
  }
}

extension [ClosedRange<UInt64>] {
  /// Returns whether a line with this number is among those that these take back; a seal goes on committing what was.
  public func takesBack(_ seq: UInt64, isSeal: @autoclosure () -> Bool = false) -> Bool {
    contains { $0.contains(seq) } && !isSeal()
  }
}

extension OperatorRecord: DescribedObject {
  /// Creates the fields, in the order in which they stand in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    act = try coder.field("act", value?.pointee.act)
    subject = try coder.field("subject", value?.pointee.subject)
    what = try coder.optional("what", value?.pointee.what)
    reason = try coder.field("reason", value?.pointee.reason)
    actor = try coder.field("actor", value?.pointee.actor)
  }
}
