import CivilTime
import Digests
import StrictJSON

extension CloseRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("zone", zone)
    line.field("day", window.day)
    line.field("start", window.start)
    line.field("end", window.end)
    line.field("users", users)
    line.object("counts") { counts.write(to: &$0) }
    line.field("points", points)
    line.field("exp", exp)
    line.field("tzdata", tzdata)
    let head = LedgerHead(seq: headSeq, hash: headHash)
    line.object("head") { head.write(to: &$0) }
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var zone: String?
    var day: Day?
    var start: Instant?
    var end: Instant?
    var users: Int?
    var counts: CloseCounts?
    var points: Int64?
    var exp: Int64?
    var tzdata: String?
    var head: LedgerHead?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "zone": zone = try reader.readString()
      case "day": day = try reader.readDay()
      case "start": start = try reader.readInstant()
      case "end": end = try reader.readInstant()
      case "users": users = try reader.readInteger()
      case "counts": counts = try CloseCounts(reading: &reader)
      case "points": points = try reader.readInt()
      case "exp": exp = try reader.readInt()
      case "tzdata": tzdata = try reader.readString()
      case "head": head = try LedgerHead(reading: &reader)
      default: try reader.skipValue()
      }
    }
    let last = try reader.require(head, "head")
    self.init(
      zone: try reader.require(zone, "zone"),
      window: DayWindow(
        day: try reader.require(day, "day"), start: try reader.require(start, "start"),
        end: try reader.require(end, "end")),
      users: try reader.require(users, "users"), counts: try reader.require(counts, "counts"),
      points: try reader.require(points, "points"), exp: try reader.require(exp, "exp"),
      tzdata: try reader.require(tzdata, "tzdata"), headSeq: last.seq, headHash: last.hash)
  }
}
