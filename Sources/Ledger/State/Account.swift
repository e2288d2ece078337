public import CivilTime
public import Evidence
public import RewardRules

/// The ledger's state of one user: closed up to a boundary, and open from there on.
///
/// `state` is as of the boundary, the end of the last closed day. Grants for open days are kept apart, because an
/// earlier fact may still change them. Of closed days, only what the next polls need is kept; an ``AccountHistory``
/// beside the account keeps all of it.
public struct Account: Sendable, Equatable {
  /// The user's id.
  public internal(set) var id: String
  /// The index of the zone in the state's table.
  public internal(set) var zone: Int32
  /// The end of the last closed window, where the first open one begins.
  public internal(set) var boundary: Instant
  /// The label of the last closed day; before the first close, the date before the first judged day.
  public internal(set) var boundaryDay: Day
  /// The first judged day.
  public internal(set) var firstDay: Day
  /// The first instant of the first judged day.
  public internal(set) var firstInstant: Instant
  /// The last closed days, oldest first. Evidence that touches them is still kept.
  public internal(set) var recentDays = RecentDays()
  /// What the rules need to know about the user, as of the boundary.
  public internal(set) var state = AccountState()
  /// What the user has and where it came from, including open days.
  public internal(set) var holdings = Holdings()
  /// The standing grants.
  public internal(set) var grants = StandingGrants()
  /// The effect on the streak of open days that do not count.
  public internal(set) var marks: [DayMark] = []
  /// Evidence that may touch an open day or one of ``recentDays``.
  public internal(set) var evidence: [RecordedEvidence] = []
  /// The times when the user was not in the roster, as far as they touch open days. The inbox then refused lines
  /// about the user, so its silence proves nothing. Every user has one on the first day.
  public internal(set) var absences: [Absence] = []
  /// The absences, including one still going on.
  public var allAbsences: [Absence] {
    guard let leftAt else { return absences }
    return absences + [Absence(from: leftAt, to: .latest)]
  }
  /// The highest level that the ledger has recorded.
  public internal(set) var recordedLevel: Int32 = 1
  /// The number of days with a login reward that is still required, whether or not a reversal has taken it back.
  public internal(set) var logins: Int32 = 0
  /// The duration of all boosters ever granted, in seconds. Never decreases.
  public internal(set) var boosterSeconds: Int64 = 0
  /// The latest end of any of them; nil if there never was one.
  public internal(set) var grantedBoosterUntil: Instant?
  /// The last day on which the user was warned that the streak is at risk; nil if never.
  public internal(set) var warnedDay: Day?

  /// Whether the id is a pseudonym, so that only the roster can say who is to be polled.
  public internal(set) var isPseudonym = false

  /// The rare parts; holds at most one.
  private(set) var rare: [RareParts] = []

  /// Creates a user whose first judged day follows `boundaryDay` and begins at `boundary`.
  public init(id: String, zone: Int32, boundary: Instant, boundaryDay: Day) {
    self.id = id
    self.zone = zone
    self.boundary = boundary
    self.boundaryDay = boundaryDay
    firstDay = boundaryDay.adding(days: 1)
    firstInstant = boundary
  }

  /// The rare parts, or their default.
  var rareParts: RareParts {
    get { rare.first ?? RareParts() }
    set { rare = newValue == RareParts() ? [] : [newValue] }
    _modify {
      if rare.isEmpty { rare.append(RareParts()) }
      defer { if rare[0] == RareParts() { rare = [] } }
      yield &rare[0]
    }
  }

  /// Whether the user is in the roster.
  public var isPresent: Bool { leftAt == nil }
  /// Whether a zone change or a return has yet to take effect.
  public var isMoving: Bool { !changes.isEmpty || !comebacks.isEmpty }
  /// Whether the zone and the boundary alone determine the user's days, as for all residents.
  public var isResident: Bool { isPresent && !isMoving }
  /// Whether a return has yet to take effect.
  var isComingBack: Bool { !comebacks.isEmpty }

  /// The first instant whose evidence is kept. Only the ledger knows evidence that ends before it.
  public var remembersFrom: Instant { recentDays.first?.start ?? boundary }

  /// Returns the start of the day after one that ended at `end`: that instant or, for a user who had left by then,
  /// the return. What comes in between counts to the day of leaving.
  public func nextDay(after end: Instant) -> Instant {
    var next = end
    for comeback in comebacks where comeback.follows(next) { next = max(next, comeback.from) }
    return next
  }

  /// Returns whether the user has left before `end`, the end of the first open day, and that day is the last before any
  /// return.
  public func hasLeft(before end: Instant) -> Bool {
    comebacks.first.map { $0.follows(end) } ?? leftAt.map { $0 < end } ?? false
  }

  /// Returns whether a close of the user's zone closes the user's day. It does if the user's next day begins within the
  /// closed window, and no close under older zone rules has closed that date for the user.
  ///
  /// A user who moved or left before its end is closed by a line of their own.
  @inline(__always)
  public func isClosed(by close: CloseRecord) -> Bool {
    if boundary >= close.window.end || boundary < close.window.start { return false }
    if boundaryDay >= close.window.day { return false }
    return rare.isEmpty || isClosedDespiteRareParts(by: close)
  }

  private func isClosedDespiteRareParts(by close: CloseRecord) -> Bool {
    let end = close.window.end
    if stopped != nil { return false }
    if hasLeft(before: end) { return false }
    return !changes.contains { $0.at < end }
  }

  /// Records a fact that came after its day was closed.
  mutating func markLate(at instant: Instant, seq: UInt64) {
    late = LateFacts(from: min(late?.from ?? instant, instant), seq: seq)
  }

  /// Records that a plan has counted all facts up to the line `through` for the closed days in `days`.
  mutating func bringIn(_ days: ClosedRange<Day>, through seq: UInt64) {
    if days.lowerBound <= firstDay, days.upperBound >= boundaryDay {
      plannedThrough = max(plannedThrough, seq)
    }
    if let late, late.isCovered(by: days, through: seq, lastClosed: boundaryDay) {
      self.late = nil
    }
  }
}

/// A time when a user was not in the roster.
public struct Absence: Sendable, Equatable {
  /// When the user left; the earliest instant before the first import.
  public let from: Instant
  /// When the user was back in the roster.
  public let to: Instant
}

/// The return of a user who had left.
public struct Comeback: Sendable, Equatable {
  /// When the return was recorded.
  public let knownAt: Instant
  /// When the user had left.
  public let leftAt: Instant
  /// The first instant of the first day after the return.
  public let from: Instant
  /// The index of the zone in which that day ends.
  public let zone: Int32

  /// Returns whether a day that ends at `end` is the last before the return: the user left during it, or the return
  /// begins at its end.
  public func follows(_ end: Instant) -> Bool { leftAt < end || from <= end }
}

/// Facts that came after their days were closed.
public struct LateFacts: Sendable, Equatable {
  /// The earliest instant they touch.
  public internal(set) var from: Instant
  /// The last record among them.
  public internal(set) var seq: UInt64

  /// Returns whether a plan for `days` that counted all facts up to the line `through` covers all of these. True only
  /// if that is certain whatever the user's zones.
  fileprivate func isCovered(by days: ClosedRange<Day>, through: UInt64, lastClosed: Day) -> Bool {
    let earliest = Day(number: Int32(clamping: from.seconds / 86_400 - 2))
    return seq <= through && days.lowerBound <= earliest && days.upperBound >= lastClosed
  }
}

/// A credit recorded in the ledger.
public struct RecordedCredit: Sendable, Equatable {
  /// The credit.
  public let credit: Credit
  /// Its sequence number in the ledger; provisional while not yet recorded.
  public let seq: UInt64

  /// Creates a recorded credit.
  public init(credit: Credit, seq: UInt64) {
    self.credit = credit
    self.seq = seq
  }
}

extension Account {
  /// The last closed day; nil before the first close.
  public var closedThrough: Day? { boundaryDay < firstDay ? nil : boundaryDay }
}
