import CivilTime
import StrictJSON

extension RefusedRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.optional("user", user)
    line.optional("day", day)
    line.field("what", what.rawValue)
    line.optional("key", key)
    line.field("detail", detail)
    line.field("points", points)
    line.field("exp", exp)
    if let streak { line.object("streak") { streak.write(to: &$0) } }
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var user: String?
    var day: Day?
    var what: Refusal?
    var key: String?
    var detail: String?
    var points: Int64 = 0
    var exp: Int64 = 0
    var streak: StreakMark?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "user": user = try reader.readString()
      case "day": day = try reader.readDay()
      case "what": what = try reader.readWord("refusal") { Refusal(rawValue: $0) }
      case "key": key = try reader.readString()
      case "detail": detail = try reader.readString()
      case "points": points = try reader.readInt()
      case "exp": exp = try reader.readInt()
      case "streak": streak = try StreakMark(reading: &reader)
      default: try reader.skipValue()
      }
    }
    self.init(
      user: user, day: day, what: try reader.require(what, "what"), key: key,
      detail: try reader.require(detail, "detail"), points: points, exp: exp, streak: streak)
  }
}
