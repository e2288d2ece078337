import CivilTime
import RewardRules
import StrictJSON

extension GrantRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("key", key)
    line.field("user", user)
    line.field("day", day)
    line.field("mission", mission)
    line.field("effective", effective)
    line.field("rules", rules)
    line.field("points", reward.points)
    line.field("expBase", reward.baseExp)
    line.field("multiplier", reward.multiplier)
    line.field("exp", reward.exp)
    line.field("coins", reward.coins)
    line.field("items", reward.items)
    if !removedItems.isEmpty { line.field("removedItems", removedItems) }
    line.flag("void", isVoid)
    line.name("booster")
    if let booster = reward.booster { booster.write(to: &line) } else { line.raw("null") }
    line.field("evidence", evidence)
    if let streak { line.object("streak") { streak.write(to: &$0) } }
    if let settled { line.object("settled") { settled.write(to: &$0) } }
    line.field("cause", cause)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var key: String?
    var user: String?
    var day: Day?
    var mission: String?
    var effective: Instant?
    var rules: String?
    var reward = Reward()
    var removedItems: [String] = []
    var isVoid = false
    var evidence: [UInt64] = []
    var streak: StreakMark?
    var settled: SettledChange?
    var cause: String?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "key": key = try reader.readString()
      case "user": user = try reader.readString()
      case "day": day = try reader.readDay()
      case "mission": mission = try reader.readString()
      case "effective": effective = try reader.readInstant()
      case "rules": rules = try reader.readString()
      case "points": reward.points = try reader.readInt()
      case "expBase": reward.baseExp = try reader.readInt()
      case "multiplier": reward.multiplier = try reader.readInt()
      case "exp": reward.exp = try reader.readInt()
      case "coins": reward.coins = try reader.readInt()
      case "items": reward.items = try reader.readStrings()
      case "removedItems": removedItems = try reader.readStrings()
      case "void": isVoid = try reader.readBool()
      case "booster":
        if try !reader.readNull() { reward.booster = try BoosterWindow(reading: &reader) }
      case "evidence": evidence = try reader.readSeqs()
      case "streak": streak = try StreakMark(reading: &reader)
      case "settled": settled = try SettledChange(reading: &reader)
      case "cause": cause = try reader.readString()
      default: try reader.skipValue()
      }
    }
    self.init(
      key: try reader.require(key, "key"), user: try reader.require(user, "user"),
      day: try reader.require(day, "day"), mission: try reader.require(mission, "mission"),
      effective: try reader.require(effective, "effective"),
      rules: try reader.require(rules, "rules"), reward: reward, removedItems: removedItems,
      isVoid: isVoid, evidence: evidence, streak: streak, settled: settled,
      cause: try reader.require(cause, "cause"))
  }
}

extension BoosterWindow {
  fileprivate func write(to line: inout LineWriter) {
    line.raw("{")
    line.field("from", from)
    line.field("until", until)
    line.raw("}")
  }

  fileprivate init(reading reader: inout JSONReader) throws(JSONError) {
    var from: Instant?
    var until: Instant?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "from": from = try reader.readInstant()
      case "until": until = try reader.readInstant()
      default: try reader.skipValue()
      }
    }
    self.init(
      from: try reader.require(from, "from"), until: try reader.require(until, "until"))
  }
}
