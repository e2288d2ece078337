public import CivilTime
public import Described
public import Evidence
public import RewardRules

// The encoding of an account and its parts in a snapshot.

extension Account: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    let known = value?.pointee.rareParts
    var rare = RareParts()
    id = try coder.field("id", value?.pointee.id)
    zone = try coder.field("zone", value?.pointee.zone)
    rare.leftAt = try coder.optional("leftAt", known?.leftAt)
    rare.forgottenAt = try coder.optional("forgottenAt", known?.forgottenAt)
    isPseudonym = try coder.field("pseudonym", value?.pointee.isPseudonym)
    rare.plannedThrough = try coder.field("plannedThrough", known?.plannedThrough)
    rare.comebacks = try coder.field("comebacks", known?.comebacks)
    boundary = try coder.field("boundary", value?.pointee.boundary)
    boundaryDay = try coder.field("boundaryDay", value?.pointee.boundaryDay)
    firstDay = try coder.field("firstDay", value?.pointee.firstDay)
    firstInstant = try coder.field("firstInstant", value?.pointee.firstInstant)
    absences = try coder.field("absences", value?.pointee.absences)
    rare.amended = try coder.field("amended", known?.amended)
    rare.late = try coder.optional("late", known?.late)
    recentDays = RecentDays(
      try coder.field("recentDays", (value?.pointee.recentDays).map { Array($0) }))
    rare.refusals = try coder.field("refusals", known?.refusals)
    rare.changes = try coder.field("changes", known?.changes)
    state = try coder.field("state", value?.pointee.state)
    holdings = try coder.field("holdings", value?.pointee.holdings)
    grants.open = try coder.field("grants", value?.pointee.grants.open)
    grants.closedLevels = try coder.field("closedLevels", value?.pointee.grants.closedLevels)
    marks = try coder.field("marks", value?.pointee.marks)
    evidence = try coder.field("evidence", value?.pointee.evidence)
    rare.credits = try coder.field("credits", known?.credits)
    rare.unknowns = try coder.field("unknowns", known?.unknowns)
    rare.creditIDs = try coder.field("creditIDs", known?.creditIDs)
    rare.manualIDs = try coder.field("manualIDs", known?.manualIDs)
    rare.heldBack = try coder.field("heldBack", (known?.heldBack).map(KeySet.init)).keys
    rare.released = try coder.field("released", (known?.released).map(KeySet.init)).keys
    recordedLevel = try coder.field("recordedLevel", value?.pointee.recordedLevel)
    logins = try coder.field("logins", value?.pointee.logins)
    boosterSeconds = try coder.field("boosterSeconds", value?.pointee.boosterSeconds)
    grantedBoosterUntil = try coder.optional(
      "grantedBoosterUntil", value?.pointee.grantedBoosterUntil)
    rare.creditedItems = try coder.field("creditedItems", known?.creditedItems)
    rare.voidedLogins = try coder.field("voidedLogins", known?.voidedLogins)
    rare.hand = try coder.field("hand", known?.hand)
    warnedDay = try coder.optional("warnedDay", value?.pointee.warnedDay)
    rare.stopped = try coder.optional("stopped", known?.stopped)
    rareParts = rare
  }
}

/// Keys by their texts, in text order.
private struct KeySet: Described {
  var keys: Set<RewardKey>

  static func code<C: Medium>(_ value: KeySet?, with coder: inout C) throws(C.Failure) -> KeySet {
    let texts = try coder.list(value?.keys.map { $0.text(user: "") }.sorted())
    return value ?? KeySet(keys: Set(texts.compactMap { RewardKey(text: $0) }))
  }
}

extension AccountState: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init()
    level = try coder.field("level", value?.pointee.level)
    exp = try coder.field("exp", value?.pointee.exp)
    owned = try coder.field("owned", value?.pointee.owned)
    boosterUntil = try coder.optional("boosterUntil", value?.pointee.boosterUntil)
    boosterPause = try coder.optional("boosterPause", value?.pointee.boosterPause)
    streak.length = try coder.field("length", value?.pointee.streak.length)
    streak.cycleDay = try coder.field("cycleDay", value?.pointee.streak.cycleDay)
    streak.longest = try coder.field("longest", value?.pointee.streak.longest)
    streak.lastDay = try coder.optional("lastDay", value?.pointee.streak.lastDay)
  }
}

extension StandingGrant: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    text = try coder.field("text", value?.pointee.text)
    key = value == nil ? RewardKey(text: text) : value?.pointee.key
    day = try coder.field("day", value?.pointee.day)
    effective = try coder.field("effective", value?.pointee.effective)
    net = try Reward(fields: &coder, value?.pointer(to: \.net))
    net.booster = try coder.optional("booster", value?.pointee.net.booster)
    adjustments = try coder.field("adjustments", value?.pointee.adjustments)
    isVoid = try coder.field("void", value?.pointee.isVoid)
    isReversed = try coder.field("reversed", value?.pointee.isReversed)
    reversedBy = try coder.optional("reversedBy", value?.pointee.reversedBy)
    isSettled = try coder.field("settled", value?.pointee.isSettled)
    evidence = try coder.field("evidence", value?.pointee.evidence)
    streak = try coder.optional("streak", value?.pointee.streak)
  }
}

extension ClosedLevel: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    level = try coder.field("level", value?.pointee.level)
    adjustments = try coder.field("adjustments", value?.pointee.adjustments)
    isVoid = try coder.field("void", value?.pointee.isVoid)
    isReversed = try coder.field("reversed", value?.pointee.isReversed)
  }
}

extension DayMark: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    day = try coder.field("day", value?.pointee.day)
    // Empty for nil.
    let word = try coder.field("what", value.map { $0.pointee.what?.word ?? "" })
    what = StreakChange(rawValue: word)
    after = try coder.field("after", value?.pointee.after)
  }
}

extension DayKinds: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    day = try coder.field("day", value?.pointee.day)
    kinds = try coder.field("kinds", value?.pointee.kinds)
  }
}

extension RecordedEvidence: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      activity: try coder.field("activity", value?.pointee.activity),
      source: try coder.field("source", value?.pointee.source),
      seq: try coder.field("seq", value?.pointee.seq))
  }
}

extension Activity: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      kind: try coder.field("kind", value?.pointee.kind),
      from: try coder.field("from", value?.pointee.from),
      to: try coder.field("to", value?.pointee.to),
      isOpen: try coder.field("open", value?.pointee.isOpen, unless: false))
  }
}

extension RecordedCredit: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    var credit = try Credit(&coder, value?.pointer(to: \.credit))
    credit.boughtAt = try coder.optional("boughtAt", value?.pointee.credit.boughtAt)
    self.credit = credit
    seq = try coder.field("seq", value?.pointee.seq)
  }
}

extension Absence: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    from = try coder.field("from", value?.pointee.from)
    to = try coder.field("to", value?.pointee.to)
  }
}

extension Comeback: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    knownAt = try coder.field("knownAt", value?.pointee.knownAt)
    leftAt = try coder.field("leftAt", value?.pointee.leftAt)
    from = try coder.field("from", value?.pointee.from)
    zone = try coder.field("zone", value?.pointee.zone)
  }
}

extension LateFacts: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    from = try coder.field("from", value?.pointee.from)
    seq = try coder.field("seq", value?.pointee.seq)
  }
}

extension RecentDay: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    day = try coder.field("day", value?.pointee.day)
    start = try coder.field("start", value?.pointee.start)
  }
}

extension ZoneChange: DescribedObject {
  /// Reads or writes the fields, in their order in a snapshot.
  public init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      at: try coder.field("at", value?.pointee.at),
      zone: try coder.field("zone", value?.pointee.zone))
  }
}
