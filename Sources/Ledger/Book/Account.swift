public import CivilTime
public import Evidence
public import RewardRules

/// What the ledger says of one user: settled up to a boundary, and open from there on.
///
/// `state` stands at the boundary, before the first day that is not closed. What was granted for open days is kept
/// apart, because an earlier fact may still change it.
public struct Account: Sendable {
  /// The user's id.
  public internal(set) var id: String
  /// The index of the zone in the book's table.
  public var zone: Int32
  /// Whether the user has left.
  public var isRemoved = false
  /// The end of the last closed window: where the first open one begins.
  public var boundary: Instant
  /// The label of the last closed day; before the first close, the date before the first judged day.
  public var boundaryDay: Day
  /// The last record that changed what closed days came to, 0 when none did: a plan made before it no longer fits.
  public internal(set) var amended: UInt64 = 0
  /// The first judged day.
  public internal(set) var firstDay: Day
  /// Since when the ledger has known the user without a break: before that, the inbox's lines about the user were
  /// refused, and its silence says nothing.
  public internal(set) var knownSince: Instant = .earliest
  /// What was refused of the user's evidence since the boundary, in words: each is reported once.
  public internal(set) var refusals: Set<String> = []
  /// Zone changes that have not taken effect, in order.
  public var changes: [ZoneChange] = []
  /// What the rules need to know, as of the boundary.
  public var state = AccountState()
  /// Shop points, open days included.
  public var points: Int64 = 0
  /// Cheer coins, open days included.
  public var coins: Int64 = 0
  /// What was granted for open days, in the order of the ledger.
  public var grants: [StandingGrant] = []
  /// What became of the streak on open days that do not count.
  public var marks: [DayMark] = []
  /// Evidence that may touch an open day.
  public var evidence: [RecordedEvidence] = []
  /// What the user got elsewhere and is not settled yet.
  public var credits: [Credit] = []
  /// Ids of all credits ever taken.
  public var creditIDs: Set<String> = []
  /// Ids of all grants by hand.
  public var manualIDs: Set<String> = []
  /// Keys that a limit holds back.
  public var heldBack: Set<RewardKey> = []
  /// Keys that an operator released.
  public var released: Set<RewardKey> = []
  /// Days and missions of open days that are recorded as unknown.
  public var unknowns: [DayKinds] = []
  /// The closed days of the last 64 that are not like others, in order; few users have more than one.
  public var oddDays: [OddDay] = []
  /// For each kind, one bit per closed day that has evidence: bit N for N days before the boundary day.
  public var evidenceDays: InlineArray<8, UInt64> = .init(repeating: 0)
  /// Evidence that came after its day was closed.
  public var lateEvidence: [SeenActivity] = []
  /// The highest level that the ledger has told.
  public var recordedLevel: Int32 = 1
  /// Why the user is not judged, nil for all but a few.
  public var stopped: String?

  /// A user whose first judged day is the one after `boundaryDay` and begins at `boundary`.
  public init(id: String, zone: Int32, boundary: Instant, boundaryDay: Day) {
    self.id = id
    self.zone = zone
    self.boundary = boundary
    self.boundaryDay = boundaryDay
    firstDay = boundaryDay.adding(days: 1)
  }

  /// What the user got besides the rules, grants by hand for open days among it: exp that may lift levels.
  public var allCredits: [Credit] {
    credits
      + grants.compactMap { grant in
        guard grant.isManual, !grant.isReversed else { return nil }
        return Credit(effective: grant.effective, exp: grant.net.exp, items: grant.net.items)
      }
  }

  /// The standing grant under `key`, or nil.
  public func grant(under key: RewardKey) -> StandingGrant? { grants.first { $0.key == key } }

  /// What the rules must respect of this user's keys.
  public var standing: Standing {
    var standing = Standing()
    standing.heldBack = heldBack
    standing.released = released
    for grant in grants {
      guard let key = grant.key else { continue }
      if grant.isReversed { standing.settled.insert(key) }
      guard grant.net.isSomething else { continue }
      if case .level(let level) = key { standing.levelDays[level] = grant.day }
      if !grant.isReversed { standing.granted[key] = grant.net }
    }
    return standing
  }

  /// The closed day in which `instant` lies; exact for the last 64 days.
  public func closedDay(of instant: Instant) -> Day {
    var end = boundary
    var day = boundaryDay
    for odd in oddDays.reversed() {
      if instant >= odd.end { break }
      if instant >= odd.start { return odd.day }
      end = odd.start
      day = odd.dayBefore
    }
    let seconds = end.seconds(since: instant)
    return day.adding(days: -Int32(clamping: max(0, seconds - 1) / 86_400))
  }

  /// The closed days that `activity` touches, as far as they are told apart: those of the last 64.
  public func closedDays(touchedBy activity: SeenActivity) -> ClosedRange<Day> {
    let first = closedDay(of: activity.from)
    guard activity.to > activity.from else { return first...first }
    let end = min(activity.to, boundary).adding(seconds: -1)
    let last = max(first, closedDay(of: end))
    return max(first, last.adding(days: -63))...last
  }

  /// Whether evidence of `kind` stands for the closed `day`; true for days too long ago to tell.
  public func hasEvidence(of kind: ActivityKind, onClosed day: Day) -> Bool {
    let age = boundaryDay.number - day.number
    if age < 0 { return false }
    if age >= 64 { return true }
    return evidenceDays[Int(kind.rawValue)] & (1 << UInt64(age)) != 0
  }
}
