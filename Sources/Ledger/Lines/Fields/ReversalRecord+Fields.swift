import StrictJSON

extension ReversalRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("key", key)
    line.field("user", user)
    line.flag("undone", undone)
    line.field("reason", reason)
    line.field("actor", actor)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var key: String?
    var user: String?
    var undone = false
    var reason: String?
    var actor: String?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "key": key = try reader.readString()
      case "user": user = try reader.readString()
      case "undone": undone = try reader.readBool()
      case "reason": reason = try reader.readString()
      case "actor": actor = try reader.readString()
      default: try reader.skipValue()
      }
    }
    self.init(
      key: try reader.require(key, "key"), user: try reader.require(user, "user"), undone: undone,
      reason: try reader.require(reason, "reason"), actor: try reader.require(actor, "actor"))
  }
}
