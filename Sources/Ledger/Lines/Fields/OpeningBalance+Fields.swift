import StrictJSON

extension OpeningBalance: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("points", points)
    line.field("exp", exp)
    line.field("level", level)
    line.field("streak", streak)
    line.field("items", items)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var opening = OpeningBalance()
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "points": opening.points = try reader.readInt()
      case "exp": opening.exp = try reader.readInt()
      case "level": opening.level = try reader.readInteger()
      case "streak": opening.streak = try reader.readInteger()
      case "items": opening.items = try reader.readStrings()
      default: try reader.skipValue()
      }
    }
    self = opening
  }
}
