import RewardRules
import StrictJSON

extension ReversalRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("key", key)
    line.field("user", user)
    line.flag("undone", undone)
    if reward.points != 0 { line.field("points", reward.points) }
    if reward.exp != 0 { line.field("exp", reward.exp) }
    if reward.coins != 0 { line.field("coins", reward.coins) }
    if !reward.items.isEmpty { line.field("items", reward.items) }
    if !removedItems.isEmpty { line.field("removedItems", removedItems) }
    if let settled { line.object("settled") { settled.write(to: &$0) } }
    if let plan { line.field("plan", plan) }
    line.field("reason", reason)
    line.field("actor", actor)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var key: String?
    var user: String?
    var undone = false
    var reward = Reward()
    var removedItems: [String] = []
    var settled: SettledChange?
    var plan: String?
    var reason: String?
    var actor: String?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "key": key = try reader.readString()
      case "user": user = try reader.readString()
      case "undone": undone = try reader.readBool()
      case "points": reward.points = try reader.readInt()
      case "exp": reward.exp = try reader.readInt()
      case "coins": reward.coins = try reader.readInt()
      case "items": reward.items = try reader.readStrings()
      case "removedItems": removedItems = try reader.readStrings()
      case "settled": settled = try SettledChange(reading: &reader)
      case "plan": plan = try reader.readString()
      case "reason": reason = try reader.readString()
      case "actor": actor = try reader.readString()
      default: try reader.skipValue()
      }
    }
    self.init(
      key: try reader.require(key, "key"), user: try reader.require(user, "user"), undone: undone,
      reward: reward, removedItems: removedItems, settled: settled, plan: plan,
      reason: try reader.require(reason, "reason"), actor: try reader.require(actor, "actor"))
  }
}
