public import CivilTime
public import Evidence
public import RewardRules

/// What the ledger says of one user: settled up to a boundary, and open from there on.
///
/// `state` stands at the boundary, the end of the last closed day. What was granted for open days is kept apart, because an
/// earlier fact may still change it. Of closed days only what the next looks need is kept; an ``AccountHistory`` beside
/// the account keeps all of them.
public struct Account: Sendable, Equatable {
  /// The user's id.
  public internal(set) var id: String
  /// The index of the zone in the state's table.
  public internal(set) var zone: Int32
  /// The end of the last closed window: where the first open one begins.
  public internal(set) var boundary: Instant
  /// The label of the last closed day; before the first close, the date before the first judged day.
  public internal(set) var boundaryDay: Day
  /// The first judged day.
  public internal(set) var firstDay: Day
  /// The first instant of the first judged day.
  public internal(set) var firstInstant: Instant
  /// The last closed days, oldest first: evidence that touches them is still kept.
  public internal(set) var recentDays = RecentDays()
  /// What the rules need to know, as of the boundary.
  public internal(set) var state = AccountState()
  /// Shop points, open days included.
  public internal(set) var points: Int64 = 0
  /// Cheer coins, open days included.
  public internal(set) var coins: Int64 = 0
  /// What stands by grants.
  public internal(set) var grants = StandingGrants()
  /// What became of the streak on open days that do not count.
  public internal(set) var marks: [DayMark] = []
  /// Evidence that may touch an open day or one of ``recentDays``.
  public internal(set) var evidence: [RecordedEvidence] = []
  /// When the user was not in the roster, as far as it touches open days: the inbox's lines about the user were refused
  /// then, and its silence says nothing. Everybody has one on the first day.
  public internal(set) var absences: [Absence] = []
  /// The same, and the one that goes on.
  public var allAbsences: [Absence] {
    guard let leftAt else { return absences }
    return absences + [Absence(from: leftAt, to: .latest)]
  }
  /// The highest level that the ledger has told.
  public internal(set) var recordedLevel: Int32 = 1
  /// The last day on which the user was warned that the streak is at risk; nil for never.
  public internal(set) var warnedDay: Day?

  /// What few accounts have; empty or one.
  private(set) var rare: [RareParts] = []

  /// Creates a user whose first judged day is the one after `boundaryDay` and begins at `boundary`.
  public init(id: String, zone: Int32, boundary: Instant, boundaryDay: Day) {
    self.id = id
    self.zone = zone
    self.boundary = boundary
    self.boundaryDay = boundaryDay
    firstDay = boundaryDay.adding(days: 1)
    firstInstant = boundary
  }

  /// From when on a credit counts: the user's from before the first day belongs to its beginning.
  public func start(ofCreditAt instant: Instant) -> Instant { max(instant, firstInstant) }

  /// What few accounts have.
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
  /// Whether a zone change or a return has not taken effect.
  public var isMoving: Bool { !changes.isEmpty || !comebacks.isEmpty }
  /// Whether nothing but the zone and the boundary decides the user's days: they are those of all residents.
  public var isResident: Bool { isPresent && !isMoving }
  /// Whether a return has not taken effect.
  var isComingBack: Bool { !comebacks.isEmpty }

  /// The first instant of which evidence is still kept: what touches only earlier ones is known to the ledger alone.
  public var remembersFrom: Instant { recentDays.first?.start ?? boundary }

  /// Where the day after one that ended at `end` begins: there, or with the return of whoever had left by then. What comes
  /// in between counts to the day of leaving.
  public func nextDay(after end: Instant) -> Instant {
    var next = end
    for comeback in comebacks where comeback.follows(next) { next = max(next, comeback.from) }
    return next
  }

  /// Returns whether the user has left before `end`, the end of the first open day, and that day is the last before a
  /// return, if any.
  public func hasLeft(before end: Instant) -> Bool {
    comebacks.first.map { $0.follows(end) } ?? leftAt.map { $0 < end } ?? false
  }

  /// Returns whether a close of the user's zone settles the user: the user's next day begins within the closed
  /// window, and the date has not been closed for the user before, by older rules of the zone.
  ///
  /// Whoever has moved or left before its end is settled by a line of their own.
  @inline(__always)
  public func isSettled(by close: CloseRecord) -> Bool {
    if boundary >= close.window.end || boundary < close.window.start { return false }
    if boundaryDay >= close.window.day { return false }
    return rare.isEmpty || isSettledInSpiteOfRareParts(by: close)
  }

  private func isSettledInSpiteOfRareParts(by close: CloseRecord) -> Bool {
    let end = close.window.end
    if stopped != nil { return false }
    if hasLeft(before: end) { return false }
    return !changes.contains { $0.at < end }
  }

  /// Notes a fact that came after its day was closed.
  mutating func noteLate(at instant: Instant, seq: UInt64) {
    late = LateFacts(from: min(late?.from ?? instant, instant), seq: seq)
  }

  /// Notes that a plan has brought in, for the closed days in `days`, all facts up to the line `through`.
  mutating func bringIn(_ days: ClosedRange<Day>, through seq: UInt64) {
    if days.lowerBound <= firstDay, days.upperBound >= boundaryDay {
      plannedThrough = max(plannedThrough, seq)
    }
    if let late, late.isCovered(by: days, through: seq, lastClosed: boundaryDay) {
      self.late = nil
    }
  }
}

/// A time in which a user was not in the roster.
public struct Absence: Sendable, Equatable {
  /// When the user left; the earliest instant for the time before the first import.
  public let from: Instant
  /// When the user was in the roster again.
  public let to: Instant
}

/// Where a user who had left goes on.
public struct Comeback: Sendable, Equatable {
  /// When the ledger learnt of the return.
  public let knownAt: Instant
  /// When the user had left.
  public let leftAt: Instant
  /// The first instant of the first day after the return.
  public let from: Instant
  /// The index of the zone in which that day ends.
  public let zone: Int32

  /// Returns whether a day that ends at `end` is the last before the return: the user left within it, or the return begins there.
  public func follows(_ end: Instant) -> Bool { leftAt < end || from <= end }
}

/// Facts that came after their days were closed.
public struct LateFacts: Sendable, Equatable {
  /// The earliest instant that one of them touches.
  public internal(set) var from: Instant
  /// The last record of one of them.
  public internal(set) var seq: UInt64

  /// Returns whether a plan for `days`, which brought in all facts up to the line `through`, leaves nothing of these:
  /// true only when that is certain whatever the user's zones.
  fileprivate func isCovered(by days: ClosedRange<Day>, through: UInt64, lastClosed: Day) -> Bool {
    let earliest = Day(number: Int32(clamping: from.seconds / 86_400 - 2))
    return seq <= through && days.lowerBound <= earliest && days.upperBound >= lastClosed
  }
}

/// A credit that stands in the ledger.
public struct RecordedCredit: Sendable, Equatable {
  /// What the user got.
  public let credit: Credit
  /// Its sequence number in the ledger; the largest while it is not recorded.
  public let seq: UInt64

  /// Creates a credit.
  public init(credit: Credit, seq: UInt64) {
    self.credit = credit
    self.seq = seq
  }
}
