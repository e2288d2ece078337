import CivilTime
import StrictJSON

extension LevelRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("user", user)
    line.field("level", level)
    line.field("effective", effective)
    if let exp { line.field("exp", exp) }
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var user: String?
    var level: Int32?
    var effective: Instant?
    var exp: Int64?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "user": user = try reader.readString()
      case "level": level = try reader.readInteger()
      case "effective": effective = try reader.readInstant()
      case "exp": exp = try reader.readInt()
      default: try reader.skipValue()
      }
    }
    self.init(
      user: try reader.require(user, "user"), level: try reader.require(level, "level"),
      effective: try reader.require(effective, "effective"), exp: exp)
  }
}
