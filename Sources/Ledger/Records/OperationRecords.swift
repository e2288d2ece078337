public import CivilTime
public import Described
public import Digests
public import RewardRules

/// The record that a job ran or was skipped.
public struct RunRecord: Sendable, Equatable {
  /// The job's name.
  public var job: String
  /// The zone; `*` for all.
  public var zone: String
  /// When it was due.
  public var nominal: Instant
  /// The local time that names the fire, e.g. `2026-11-20T00:30`.
  public var nominalLocal: String
  /// The job's schedule at that time; nil if no schedule caused the run, and in lines of older versions.
  public var schedule: String?
  /// When it ran.
  public var actual: Instant
  /// The outcome, in one word.
  public var outcome: String
  /// Why it did not run, or why it failed.
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

/// One figure of a run.
public struct RunCount: Sendable, Equatable {
  /// The name of what is counted.
  public var name: String
  /// The count.
  public var value: Int64

  /// Creates a figure.
  public init(name: String, value: Int64) {
    self.name = name
    self.value = value
  }
}

/// Figures by name, in their own order.
struct Figures: Described {
  var counts: [RunCount]

  static func code<C: Medium>(_ value: Figures?, with coder: inout C) throws(C.Failure) -> Figures {
    let rows = try coder.table(value?.counts.map { (name: $0.name, value: $0.value) })
    return Figures(counts: rows.map { RunCount(name: $0.name, value: $0.value) })
  }
}

extension RunRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
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

/// The record that something was not accepted.
public struct RefusedRecord: Sendable, Equatable {
  /// The reason for a refusal.
  public enum Reason: String, Sendable, CaseIterable, Word {
    /// A grant beyond a limit, which waits for an operator.
    case heldBack
    /// Two grants under one key.
    case keyConflict
    /// An activity that is impossible.
    case badEvidence
    /// An answer that contradicts an earlier one.
    case lyingAnswer
    /// Evidence for a closed day; only in lines of older versions of this program.
    case lateEvidence

    /// The noun for it, used in errors.
    public static var noun: StaticString { "reason for a refusal" }

    /// The reason in words for people.
    public var words: String {
      switch self {
      case .heldBack: "grant held back"
      case .keyConflict: "two grants under one key"
      case .badEvidence: "impossible activity"
      case .lyingAnswer: "API contradicts itself"
      case .lateEvidence: "evidence for a closed day"
      }
    }
  }

  /// The user, if any.
  public var user: String?
  /// The day, if any.
  public var day: Day?
  /// The reason.
  public var what: Reason
  /// The key of the grant that was held back or conflicts.
  public var key: String?
  /// The place, cause and remedy.
  public var detail: String
  /// What is held back.
  public var amounts: Amounts
  /// The streak after the day if a `login` grant is held back, because the day counts all the same.
  public var streak: StreakMark?
  /// The state the plan leaves; only on the last record of the user's part.
  public var settled: SettledChange?

  /// Creates the record of a refusal.
  public init(
    user: String? = nil, day: Day? = nil, what: Reason, key: String? = nil, detail: String,
    amounts: Amounts = Amounts(), streak: StreakMark? = nil
  ) {
    self.user = user
    self.day = day
    self.what = what
    self.key = key
    self.detail = detail
    self.amounts = amounts
    self.streak = streak
  }
}

extension RefusedRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    user = try coder.optional("user", value?.pointee.user)
    day = try coder.optional("day", value?.pointee.day)
    what = try coder.field("what", value?.pointee.what)
    key = try coder.optional("key", value?.pointee.key)
    detail = try coder.field("detail", value?.pointee.detail)
    amounts = try Amounts(stated: &coder, value?.pointer(to: \.amounts))
    streak = try coder.optional("streak", value?.pointee.streak)
    settled = try coder.optional("settled", value?.pointee.settled)
  }
}

/// The record of a person's act.
public struct OperatorRecord: Sendable, Equatable {
  /// The acts that a person can perform.
  public enum Act: String, Sendable, CaseIterable, Word {
    /// Pauses a job.
    case pause
    /// Lets a job run again.
    case resume
    /// Adds a job, or changes its schedule or zone. No fires are due for the time before.
    case schedule
    /// Confirms the clock.
    case acceptClock
    /// Takes back what a clock ahead of time has written: every line after the one numbered by ``subject``, up to
    /// this one. It begins a segment and carries an earlier time than the lines it takes back.
    case undoFuture
    /// Confirms a close held back by the mass-break guard.
    case confirmClose
    /// Lets through a grant held back by a limit.
    case release
    /// Grants something manually.
    case grant
    /// Imports users with opening balances, or with days that have ended.
    case bringIn = "import"
    /// Removes a user from the roster.
    case remove
    /// Hands activities and credits in.
    case deliver
    /// Declares an outage or a pardon, or withdraws one.
    case excuse
    /// Puts rules documents into use.
    case rules
    /// Sets what one person may give alone.
    case limits
    /// Sets whose signatures count.
    case signers
    /// Sets which programs may hand in inbox lines, and their brakes.
    case sources
    /// Forgets a user: everything about them but the ledger's lines is deleted. The user's removal follows.
    case forget
    /// Applies a plan, or takes a grant back. The plan's records follow under the same id.
    case apply
    /// Tells everybody something: ``Broadcast``.
    case broadcast
    /// Requests an act that one person may not do alone.
    case request
    /// Approves such a request as the second person.
    case approve
    /// Declines such a request, which then waits no longer.
    case decline

    /// The noun for it, used in errors.
    public static var noun: StaticString { "act" }

    /// Whether records that follow name the act as theirs.
    public var accountsForRecords: Bool {
      switch self {
      case .release, .grant, .bringIn, .remove, .deliver, .excuse, .rules, .forget, .apply: true
      case .pause, .resume, .schedule, .acceptClock, .undoFuture, .confirmClose, .broadcast,
        .limits, .signers, .sources, .request, .approve, .decline:
        false
      }
    }
  }

  /// The act.
  public var act: Act
  /// The object of the act: a job, `JOB|ZONE`, a key, `ZONE/DAY`, a clock reading, a line number, a user, or the id
  /// of a plan or request.
  public var subject: String
  /// The content of a request or plan, in words, or the schedule of a job.
  public var what: String?
  /// The reason given.
  public var reason: String
  /// The person who acted.
  public var actor: String
  /// What the records add up to that name this act; empty where none do, and in lines of earlier versions.
  public var sums = ActSums()
  /// The SHA-256 of the lines that were handed in; for ``Act/deliver`` only.
  public var sha256: Digest?
  /// The id of the request that a second person has approved; nil for what one person may do.
  public var request: String?
  /// What one person may give from now on; for ``Act/limits`` only.
  public var limits: HandLimits?
  /// An `allowed_signers` file: whose signatures count from now on; for ``Act/signers`` only.
  public var signers: String?
  /// The programs that may hand in inbox lines from now on; for ``Act/sources`` only.
  public var sources: [InboxSource]?
  /// The content of the `.sig` file by which the actor of a request or approval is known; nil where the account is.
  public var signature: String?

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
  /// The numbers of the lines that this record takes back; nil if it takes none back.
  public var undone: ClosedRange<UInt64>? {
    guard case .operator(let act) = body, act.act == .undoFuture, let last = UInt64(act.subject),
      last > 0, last < seq - 1
    else { return nil }
    return last + 1...seq - 1
  }

  /// Returns whether one of these ranges takes the record back.
  public func isUndone(by ranges: [ClosedRange<UInt64>]) -> Bool {
    ranges.takesBack(seq, isSeal: body.type == .seal)
  }
}

extension [ClosedRange<UInt64>] {
  /// Returns whether these ranges take back the line with this number. A seal still commits its lines and is never taken back.
  public func takesBack(_ seq: UInt64, isSeal: @autoclosure () -> Bool = false) -> Bool {
    contains { $0.contains(seq) } && !isSeal()
  }
}

extension OperatorRecord: DescribedObject {
  /// Reads or writes the fields, in their order in a line.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    act = try coder.field("act", value?.pointee.act)
    subject = try coder.field("subject", value?.pointee.subject)
    what = try coder.optional("what", value?.pointee.what)
    reason = try coder.field("reason", value?.pointee.reason)
    actor = try coder.field("actor", value?.pointee.actor)
    sums = try coder.field("sums", value?.pointee.sums, unless: ActSums())
    sha256 = try coder.optional("sha256", value?.pointee.sha256)
    request = try coder.optional("request", value?.pointee.request)
    limits = try coder.optional("limits", value?.pointee.limits)
    signers = try coder.optional("signers", value?.pointee.signers)
    sources = try coder.optional("sources", value?.pointee.sources)
    signature = try coder.optional("signature", value?.pointee.signature)
  }
}
