import CivilTime
import StrictJSON

extension UserRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("user", user)
    line.field("zone", zone)
    line.field("from", from)
    line.optional("since", since)
    if let opening { line.object("opening") { opening.write(to: &$0) } }
    line.optional("takesEffect", takesEffect)
    line.flag("removed", removed)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var user: String?
    var zone: String?
    var from: Instant?
    var since: Day?
    var opening: OpeningBalance?
    var takesEffect: Day?
    var removed = false
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "user": user = try reader.readString()
      case "zone": zone = try reader.readString()
      case "from": from = try reader.readInstant()
      case "since": since = try reader.readDay()
      case "opening": opening = try OpeningBalance(reading: &reader)
      case "takesEffect": takesEffect = try reader.readDay()
      case "removed": removed = try reader.readBool()
      default: try reader.skipValue()
      }
    }
    self.init(
      user: try reader.require(user, "user"), zone: try reader.require(zone, "zone"),
      from: try reader.require(from, "from"), since: since, opening: opening,
      takesEffect: takesEffect, removed: removed)
  }
}
