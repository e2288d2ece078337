import StrictJSON

extension StreakMark: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("length", length)
    line.field("cycleDay", cycleDay)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var length: Int32?
    var cycleDay: Int32?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "length": length = try reader.readInteger()
      case "cycleDay": cycleDay = try reader.readInteger()
      default: try reader.skipValue()
      }
    }
    self.init(
      length: try reader.require(length, "length"),
      cycleDay: try reader.require(cycleDay, "cycleDay"))
  }
}
