import CivilTime
import StrictJSON

extension StreakRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("user", user)
    line.field("day", day)
    line.field("what", what.rawValue)
    line.object("before") { before.write(to: &$0) }
    line.object("after") { after.write(to: &$0) }
    if !proof.isEmpty { line.objects("proof", proof) { $1.write(to: &$0) } }
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var user: String?
    var day: Day?
    var what: StreakChange?
    var before: StreakMark?
    var after: StreakMark?
    var proof: [StreakProof] = []
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "user": user = try reader.readString()
      case "day": day = try reader.readDay()
      case "what": what = try reader.readWord("streak change") { StreakChange(rawValue: $0) }
      case "before": before = try StreakMark(reading: &reader)
      case "after": after = try StreakMark(reading: &reader)
      case "proof":
        proof = try reader.readElements { (reader) throws(JSONError) in
          try StreakProof(reading: &reader)
        }
      default: try reader.skipValue()
      }
    }
    self.init(
      user: try reader.require(user, "user"), day: try reader.require(day, "day"),
      what: try reader.require(what, "what"), before: try reader.require(before, "before"),
      after: try reader.require(after, "after"), proof: proof)
  }
}
