import CivilTime
import StrictJSON

extension CreditRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("user", user)
    line.field("effective", effective)
    line.field("exp", exp)
    line.field("items", items)
    line.optional("id", id)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var user: String?
    var effective: Instant?
    var exp: Int64?
    var items: [String]?
    var id: String?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "user": user = try reader.readString()
      case "effective": effective = try reader.readInstant()
      case "exp": exp = try reader.readInt()
      case "items": items = try reader.readStrings()
      case "id": id = try reader.readString()
      default: try reader.skipValue()
      }
    }
    self.init(
      user: try reader.require(user, "user"), effective: try reader.require(effective, "effective"),
      exp: try reader.require(exp, "exp"), items: try reader.require(items, "items"), id: id)
  }
}
