import CivilTime
import Evidence
import StrictJSON

extension StreakProof: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("source", source.name)
    line.field("through", through)
    line.field("looks", looks)
    if toleratedSeconds > 0 { line.field("toleratedSeconds", toleratedSeconds) }
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var source: Source?
    var through: Instant?
    var looks: Int32?
    var toleratedSeconds: Int64 = 0
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "source": source = try reader.readWord("source") { Source(name: $0) }
      case "through": through = try reader.readInstant()
      case "looks": looks = try reader.readInteger()
      case "toleratedSeconds": toleratedSeconds = try reader.readInt()
      default: try reader.skipValue()
      }
    }
    self.init(
      source: try reader.require(source, "source"), through: try reader.require(through, "through"),
      looks: try reader.require(looks, "looks"), toleratedSeconds: toleratedSeconds)
  }
}
