import StrictJSON

extension CloseCounts: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("met", met)
    line.field("notMet", notMet)
    line.field("unknown", unknown)
    line.field("counted", counted)
    line.field("missed", missed)
    line.field("held", held)
    line.field("excused", excused)
    line.field("streaks", streaks)
    line.field("broken", broken)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var counts = CloseCounts()
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "met": counts.met = try reader.readInteger()
      case "notMet": counts.notMet = try reader.readInteger()
      case "unknown": counts.unknown = try reader.readInteger()
      case "counted": counts.counted = try reader.readInteger()
      case "missed": counts.missed = try reader.readInteger()
      case "held": counts.held = try reader.readInteger()
      case "excused": counts.excused = try reader.readInteger()
      case "streaks": counts.streaks = try reader.readInteger()
      case "broken": counts.broken = try reader.readInteger()
      default: try reader.skipValue()
      }
    }
    self = counts
  }
}
