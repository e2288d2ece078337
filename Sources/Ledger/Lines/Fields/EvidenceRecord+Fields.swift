import CivilTime
import Evidence
import StrictJSON

extension EvidenceRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("user", user)
    line.field("kind", kind.name)
    line.field("from", from)
    line.field("to", to)
    line.flag("open", open)
    line.field("source", source.name)
    line.field("observedAt", observedAt)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var user: String?
    var kind: ActivityKind?
    var from: Instant?
    var to: Instant?
    var open = false
    var source: Source?
    var observedAt: Instant?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "user": user = try reader.readString()
      case "kind": kind = try reader.readWord("kind of activity") { ActivityKind(name: $0) }
      case "from": from = try reader.readInstant()
      case "to": to = try reader.readInstant()
      case "open": open = try reader.readBool()
      case "source": source = try reader.readWord("source") { Source(name: $0) }
      case "observedAt": observedAt = try reader.readInstant()
      default: try reader.skipValue()
      }
    }
    self.init(
      user: try reader.require(user, "user"), kind: try reader.require(kind, "kind"),
      from: try reader.require(from, "from"), to: try reader.require(to, "to"), open: open,
      source: try reader.require(source, "source"),
      observedAt: try reader.require(observedAt, "observedAt"))
  }
}
