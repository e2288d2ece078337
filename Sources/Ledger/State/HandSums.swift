public import CivilTime
public import Described
internal import RewardRules

/// What was given by hand in one month, without a second person. The month is that of the records' own time, in UTC.
public struct HandMonth: Sendable, Equatable {
  /// The first day of the month.
  private var month = Day(number: 0)
  private var sums: DayCredits.Sums = [:]

  /// Creates sums of zero.
  public init() {}

  /// Adds what a record of `at` gives; the first of a new month begins at zero.
  public mutating func add(_ given: DayCredits.Sums, at: Instant) {
    if given.isEmpty { return }
    let present = Self.month(of: at)
    if present != month { (month, sums) = (present, [:]) }
    sums = sums.adding(given)
  }

  /// Returns what was given in the month of `at`.
  public func given(at: Instant) -> DayCredits.Sums { Self.month(of: at) == month ? sums : [:] }

  /// Returns the first day of the month of `at`.
  public static func month(of at: Instant) -> Day {
    let day = DayCredits.day(of: at)
    return day.adding(days: Int32(1 - day.civil.day))
  }
}

/// Who gave how much by hand this month, without a second person, and the act whose records follow.
public struct HandSums: Sendable, Equatable {
  private var people: [String: HandMonth] = [:]
  private var act: UInt64 = 0
  /// The person behind the last act; see ``HandLimits/person(_:)``.
  public private(set) var person = ""
  private var isAlone = false

  /// Creates sums of zero.
  public init() {}

  /// Returns what a person gave alone in the month of `at`; see ``HandLimits/person(_:)``.
  public func given(by person: String, at: Instant) -> DayCredits.Sums {
    people[person]?.given(at: at) ?? [:]
  }

  /// Returns what a record gives if one person gives it alone; empty for any other. The act must be the last one.
  public func givenAlone(by body: RecordBody, _ rules: RuleHistory) -> DayCredits.Sums {
    guard isAlone, body.by == act, body.request == nil else { return [:] }
    return body.givenByHand(rules)
  }

  /// Returns what a record adds to the sums of its person. Of a gift, its act is counted: who reads only what is about nobody has that.
  /// `given` is what one person gives alone by it; see ``givenAlone(by:_:)``.
  public func counted(_ body: RecordBody, alone given: DayCredits.Sums) -> DayCredits.Sums {
    switch body {
    case .operator(let act): act.act == .grant && act.request == nil ? act.sums.given : [:]
    case .credit, .user: given
    default: [:]
    }
  }

  /// Notes an act of the line `seq`, whose records may follow.
  mutating func note(_ record: OperatorRecord, seq: UInt64, _ limits: HandLimits) {
    guard record.act.accountsForRecords else { return }
    (act, person, isAlone) = (seq, limits.person(record.actor), record.request == nil)
  }

  /// Adds what was counted at an instant.
  mutating func add(_ given: DayCredits.Sums, at: Instant) {
    if given.isEmpty { return }
    people[person, default: HandMonth()].add(given, at: at)
  }
}

extension RecordBody {
  /// What a record of a hand gives that no evidence supports, by the names of its parts: openings, credits, gifts and
  /// waivers. An opening's level counts as the exp that it takes by `rules`, and its booster from the first day on.
  public func givenByHand(_ rules: RuleHistory) -> DayCredits.Sums {
    var credit: Credit
    switch self {
    case .user(let user):
      guard let opening = user.opening else { return [:] }
      credit = Credit(effective: user.from, items: opening.items)
      credit.amounts = opening.amounts
      var state = AccountState()
      (state.level, state.exp) = (opening.level, opening.amounts.exp)
      credit.amounts.exp = state.totalExp(caps: rules.caps(on: user.since ?? Day(number: 0)))
      let seconds = opening.boosterUntil?.seconds(since: user.from) ?? 0
      credit.boosterDays = max(0, (seconds + 86_399) / 86_400)
    case .credit(let record):
      if record.sender != nil { return [:] }
      credit = record.credit
    case .grant(let grant):
      guard !grant.isAdjustment, HandKey(text: grant.key) != nil else { return [:] }
      credit = Credit(effective: grant.effective, items: grant.reward.items)
      credit.amounts = grant.reward.amounts
    default: return [:]
    }
    return credit.given
  }
}

extension HandMonth: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    month = try coder.field("month", value?.pointee.month)
    sums = try coder.field("sums", value?.pointee.sums)
  }
}

extension HandSums: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    people = try coder.field("people", value?.pointee.people)
    act = try coder.field("act", value?.pointee.act)
    person = try coder.field("person", value?.pointee.person)
    isAlone = try coder.field("isAlone", value?.pointee.isAlone)
  }
}
