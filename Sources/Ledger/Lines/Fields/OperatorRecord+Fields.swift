import StrictJSON

extension OperatorRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("act", act.rawValue)
    line.field("subject", subject)
    line.field("reason", reason)
    line.field("actor", actor)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var act: OperatorAct?
    var subject: String?
    var reason: String?
    var actor: String?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "act": act = try reader.readWord("act") { OperatorAct(rawValue: $0) }
      case "subject": subject = try reader.readString()
      case "reason": reason = try reader.readString()
      case "actor": actor = try reader.readString()
      default: try reader.skipValue()
      }
    }
    self.init(
      act: try reader.require(act, "act"), subject: try reader.require(subject, "subject"),
      reason: try reader.require(reason, "reason"), actor: try reader.require(actor, "actor"))
  }
}
