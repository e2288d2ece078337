import StrictJSON

extension GenesisRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("format", format)
    line.field("ledger", ledger)
    line.field("program", program)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var format: Int?
    var ledger: String?
    var program: String?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "format": format = try reader.readInteger()
      case "ledger": ledger = try reader.readString()
      case "program": program = try reader.readString()
      default: try reader.skipValue()
      }
    }
    self.init(
      format: try reader.require(format, "format"), ledger: try reader.require(ledger, "ledger"),
      program: try reader.require(program, "program"))
  }
}
