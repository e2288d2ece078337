import CivilTime
import Evidence
import StrictJSON

extension UnknownRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("user", user)
    line.field("day", day)
    line.field("mission", mission.name)
    line.objects("gaps", gaps) { $1.write(to: &$0) }
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var user: String?
    var day: Day?
    var mission: ActivityKind?
    var gaps: [Gap]?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "user": user = try reader.readString()
      case "day": day = try reader.readDay()
      case "mission": mission = try reader.readWord("mission") { ActivityKind(name: $0) }
      case "gaps":
        gaps = try reader.readElements { (reader) throws(JSONError) in try Gap(reading: &reader) }
      default: try reader.skipValue()
      }
    }
    self.init(
      user: try reader.require(user, "user"), day: try reader.require(day, "day"),
      mission: try reader.require(mission, "mission"), gaps: try reader.require(gaps, "gaps"))
  }
}

extension Gap {
  fileprivate func write(to line: inout LineWriter) {
    line.field("kind", kind.name)
    line.field("from", from)
    line.field("to", to)
    line.field("cause", cause)
  }

  fileprivate init(reading reader: inout JSONReader) throws(JSONError) {
    var kind: ActivityKind?
    var from: Instant?
    var to: Instant?
    var cause: String?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "kind": kind = try reader.readWord("kind of activity") { ActivityKind(name: $0) }
      case "from": from = try reader.readInstant()
      case "to": to = try reader.readInstant()
      case "cause": cause = try reader.readString()
      default: try reader.skipValue()
      }
    }
    self.init(
      kind: try reader.require(kind, "kind"), from: try reader.require(from, "from"),
      to: try reader.require(to, "to"), cause: try reader.require(cause, "cause"))
  }
}
