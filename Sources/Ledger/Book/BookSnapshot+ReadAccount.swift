import CivilTime
import Evidence
import RewardRules
import StrictJSON

extension BookSnapshot {
  /// Reads the line of one account.
  static func readAccount(from reader: inout JSONReader) throws(JSONError) -> Account {
    var account = Account(id: "", zone: 0, boundary: .earliest, boundaryDay: Day(number: 0))
    try reader.readObject { (reader, key) throws(JSONError) in
      try account.take(key, from: &reader)
    }
    return account
  }
}

extension Account {
  fileprivate mutating func take(_ key: JSONKey, from reader: inout JSONReader) throws(JSONError) {
    switch key {
    case "user": id = try reader.readString()
    case "zone": zone = try reader.readInteger()
    case "removed": isRemoved = try reader.readBool()
    case "boundary": boundary = try reader.readInstant()
    case "day": boundaryDay = try reader.readDay()
    case "amended": amended = try reader.readInteger()
    case "first": firstDay = try reader.readDay()
    case "knownSince": knownSince = try reader.readInstant()
    case "refusals": refusals = Set(try reader.readStrings())
    case "points": points = try reader.readInt()
    case "coins": coins = try reader.readInt()
    case "recordedLevel": recordedLevel = try reader.readInteger()
    case "level": state.level = try reader.readInteger()
    case "exp": state.exp = try reader.readInt()
    case "rewardedLevels": state.rewardedLevels = try reader.readInteger()
    case "owned": state.owned = Set(try reader.readStrings())
    case "boosterUntil": state.boosterUntil = try reader.readInstant()
    case "streak":
      let parts = try reader.readInts(count: 3)
      state.streak.length = Int32(truncatingIfNeeded: parts[0])
      state.streak.cycleDay = Int32(truncatingIfNeeded: parts[1])
      state.streak.longest = Int32(truncatingIfNeeded: parts[2])
    case "lastDay": state.streak.lastDay = try reader.readDay()
    default: try takeOpen(key, from: &reader)
    }
  }

  private mutating func takeOpen(
    _ key: JSONKey, from reader: inout JSONReader
  ) throws(JSONError) {
    switch key {
    case "changes":
      changes = try reader.readElements { (reader) throws(JSONError) in
        try Self.change(from: &reader)
      }
    case "grants":
      grants = try reader.readElements { (reader) throws(JSONError) in
        try Self.grant(from: &reader)
      }
    case "marks":
      marks = try reader.readElements { (reader) throws(JSONError) in
        try Self.mark(from: &reader)
      }
    case "evidence":
      try reader.readArray { (reader) throws(JSONError) in
        let (activity, seq) = try Self.activity(from: &reader)
        evidence.append(RecordedEvidence(activity: activity, seq: seq))
      }
    case "late":
      try reader.readArray { (reader) throws(JSONError) in
        lateEvidence.append(try Self.activity(from: &reader).activity)
      }
    case "credits":
      credits = try reader.readElements { (reader) throws(JSONError) in
        try Self.credit(from: &reader)
      }
    case "manualIDs": manualIDs = Set(try reader.readStrings())
    case "creditIDs": creditIDs = Set(try reader.readStrings())
    case "heldBack": heldBack = Set(try reader.readStrings().compactMap { RewardKey(text: $0) })
    case "released": released = Set(try reader.readStrings().compactMap { RewardKey(text: $0) })
    case "unknowns":
      unknowns = try reader.readElements { (reader) throws(JSONError) in
        try Self.unknown(from: &reader)
      }
    case "oddDays":
      oddDays = try reader.readElements { (reader) throws(JSONError) in
        try Self.oddDay(from: &reader)
      }
    case "evidenceDays":
      let days = try reader.readInts()
      for (index, bits) in days.enumerated().prefix(8) {
        evidenceDays[index] = UInt64(bitPattern: bits)
      }
    case "stopped": stopped = try reader.readString()
    default: try reader.skipValue()
    }
  }

  private static func change(from reader: inout JSONReader) throws(JSONError) -> ZoneChange {
    var at = Instant.earliest
    var zone = ""
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "at": at = try reader.readInstant()
      case "zone": zone = try reader.readString()
      default: try reader.skipValue()
      }
    }
    return ZoneChange(at: at, zone: zone)
  }

  private static func unknown(from reader: inout JSONReader) throws(JSONError) -> DayKinds {
    var unknown = DayKinds(day: Day(number: 0), kinds: [])
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "day": unknown.day = try reader.readDay()
      case "kinds": unknown.kinds = KindSet(rawValue: try reader.readInteger())
      default: try reader.skipValue()
      }
    }
    return unknown
  }

  private static func mark(from reader: inout JSONReader) throws(JSONError) -> DayMark {
    var mark = DayMark(day: Day(number: 0), what: nil, after: StreakMark(length: 0, cycleDay: 0))
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "day": mark.day = try reader.readDay()
      case "what": mark.what = StreakChange(rawValue: try reader.readString())
      case "after": mark.after = try streakMark(from: &reader)
      default: try reader.skipValue()
      }
    }
    return mark
  }

  private static func streakMark(from reader: inout JSONReader) throws(JSONError) -> StreakMark {
    let parts = try reader.readInts(count: 2)
    return StreakMark(
      length: Int32(truncatingIfNeeded: parts[0]), cycleDay: Int32(truncatingIfNeeded: parts[1]))
  }

  private static func activity(
    from reader: inout JSONReader
  ) throws(JSONError) -> (activity: SeenActivity, seq: UInt64) {
    var kind: ActivityKind?
    var from = Instant.earliest
    var to = Instant.earliest
    var isOpen = false
    var seq: UInt64 = 0
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "kind": kind = ActivityKind(rawValue: try reader.readInteger())
      case "from": from = try reader.readInstant()
      case "to": to = try reader.readInstant()
      case "open": isOpen = try reader.readBool()
      case "seq": seq = try reader.readInteger()
      default: try reader.skipValue()
      }
    }
    guard let kind else { throw reader.error("expected a kind of activity") }
    return (SeenActivity(kind: kind, from: from, to: to, isOpen: isOpen), seq)
  }

  private static func credit(from reader: inout JSONReader) throws(JSONError) -> Credit {
    var effective = Instant.earliest
    var exp: Int64 = 0
    var items: [String] = []
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "effective": effective = try reader.readInstant()
      case "exp": exp = try reader.readInt()
      case "items": items = try reader.readStrings()
      default: try reader.skipValue()
      }
    }
    return Credit(effective: effective, exp: exp, items: items)
  }

  private static func grant(from reader: inout JSONReader) throws(JSONError) -> StandingGrant {
    var text = ""
    var day = Day(number: 0)
    var effective = Instant.earliest
    var net = Reward()
    var from: Instant?
    var until: Instant?
    var adjustments = 0
    var evidence: UInt64 = 0
    var isReversed = false
    var reversedBy: String?
    var streak: StreakMark?
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "key": text = try reader.readString()
      case "day": day = try reader.readDay()
      case "effective": effective = try reader.readInstant()
      case "net":
        let parts = try reader.readInts(count: 5)
        net.points = parts[0]
        net.baseExp = parts[1]
        net.multiplier = parts[2]
        net.exp = parts[3]
        net.coins = parts[4]
      case "items": net.items = try reader.readStrings()
      case "boosterFrom": from = try reader.readInstant()
      case "boosterUntil": until = try reader.readInstant()
      case "evidence": evidence = try reader.readInteger()
      case "adjustments": adjustments = try reader.readInteger()
      case "reversed": isReversed = try reader.readBool()
      case "reversedBy": reversedBy = try reader.readString()
      case "streak": streak = try streakMark(from: &reader)
      default: try reader.skipValue()
      }
    }
    if let from, let until { net.booster = BoosterWindow(from: from, until: until) }
    var grant = StandingGrant(
      text: text, key: RewardKey(text: text), day: day, effective: effective, net: net,
      streak: streak)
    grant.adjustments = adjustments
    grant.evidence = evidence
    grant.isReversed = isReversed
    grant.reversedBy = reversedBy
    return grant
  }

  private static func oddDay(from reader: inout JSONReader) throws(JSONError) -> OddDay {
    var days = (day: Day(number: 0), before: Day(number: 0))
    var start = Instant.earliest
    var end = Instant.earliest
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "day": days.day = try reader.readDay()
      case "before": days.before = try reader.readDay()
      case "start": start = try reader.readInstant()
      case "end": end = try reader.readInstant()
      default: try reader.skipValue()
      }
    }
    return OddDay(day: days.day, dayBefore: days.before, start: start, end: end)
  }
}
