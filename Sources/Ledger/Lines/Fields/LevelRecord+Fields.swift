import CivilTime
import StrictJSON

extension LevelRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("user", user)
    line.field("level", level)
    line.field("effective", effective)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var user: String?
    var level: Int32?
    var effective: Instant?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "user": user = try reader.readString()
      case "level": level = try reader.readInteger()
      case "effective": effective = try reader.readInstant()
      default: try reader.skipValue()
      }
    }
    self.init(
      user: try reader.require(user, "user"), level: try reader.require(level, "level"),
      effective: try reader.require(effective, "effective"))
  }
}
