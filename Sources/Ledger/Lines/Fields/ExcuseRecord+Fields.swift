import CivilTime
import StrictJSON

extension ExcuseRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("from", from)
    line.field("to", to)
    if let users { line.field("users", users) }
    line.field("reason", reason)
    line.field("actor", actor)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var from: Day?
    var to: Day?
    var users: [String]?
    var reason: String?
    var actor: String?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "from": from = try reader.readDay()
      case "to": to = try reader.readDay()
      case "users": users = try reader.readStrings()
      case "reason": reason = try reader.readString()
      case "actor": actor = try reader.readString()
      default: try reader.skipValue()
      }
    }
    self.init(
      from: try reader.require(from, "from"), to: try reader.require(to, "to"), users: users,
      reason: try reader.require(reason, "reason"), actor: try reader.require(actor, "actor"))
  }
}
