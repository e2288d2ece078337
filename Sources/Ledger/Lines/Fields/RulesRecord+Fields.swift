import CivilTime
import Digests
import StrictJSON

extension RulesRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("version", version)
    line.field("effectiveFrom", effectiveFrom)
    line.optional("corrects", corrects)
    line.field("sha256", sha256)
    line.field("drawKey", drawKey)
    line.name("document")
    line.json(document)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var version: String?
    var effectiveFrom: Day?
    var corrects: String?
    var sha256: Digest?
    var drawKey: String?
    var document: String?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "version": version = try reader.readString()
      case "effectiveFrom": effectiveFrom = try reader.readDay()
      case "corrects": corrects = try reader.readString()
      case "sha256": sha256 = try reader.readDigest()
      case "drawKey": drawKey = try reader.readString()
      case "document": document = try reader.readJSONText()
      default: try reader.skipValue()
      }
    }
    self.init(
      version: try reader.require(version, "version"),
      effectiveFrom: try reader.require(effectiveFrom, "effectiveFrom"), corrects: corrects,
      sha256: try reader.require(sha256, "sha256"), drawKey: try reader.require(drawKey, "drawKey"),
      document: try reader.require(document, "document"))
  }
}
