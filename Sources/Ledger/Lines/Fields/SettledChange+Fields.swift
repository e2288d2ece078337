import CivilTime
import StrictJSON

extension SettledChange {
  func write(to line: inout LineWriter) {
    if let boosterUntil { line.field("boosterUntil", boosterUntil) }
    line.field("lost", lost)
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var boosterUntil: Instant?
    var lost: [String] = []
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "boosterUntil": boosterUntil = try reader.readInstant()
      case "lost": lost = try reader.readStrings()
      default: try reader.skipValue()
      }
    }
    self.init(boosterUntil: boosterUntil, lost: lost)
  }
}
