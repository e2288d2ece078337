import CivilTime
import StrictJSON

extension BookSnapshot {
  static func readRun(
    from reader: inout JSONReader, into book: inout Book
  ) throws(JSONError) {
    var key = ""
    var nominal = Instant.earliest
    var nominalLocal = ""
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "key": key = try reader.readString()
      case "nominal": nominal = try reader.readInstant()
      case "nominalLocal": nominalLocal = try reader.readString()
      default: try reader.skipValue()
      }
    }
    book.lastRuns[key] = RunMark(nominal: nominal, nominalLocal: nominalLocal)
  }

  static func readPause(
    from reader: inout JSONReader, into book: inout Book
  ) throws(JSONError) {
    var job = ""
    var since = Instant.earliest
    var reason = ""
    var actor = ""
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "job": job = try reader.readString()
      case "since": since = try reader.readInstant()
      case "reason": reason = try reader.readString()
      case "actor": actor = try reader.readString()
      default: try reader.skipValue()
      }
    }
    book.pauses[job] = PauseMark(since: since, reason: reason, actor: actor)
  }
}
