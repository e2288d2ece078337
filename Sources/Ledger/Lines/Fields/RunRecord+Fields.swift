import CivilTime
import StrictJSON

extension RunRecord: RecordFields {
  func write(to line: inout LineWriter) {
    line.field("job", job)
    line.field("zone", zone)
    line.field("nominal", nominal)
    line.field("nominalLocal", nominalLocal)
    line.field("actual", actual)
    line.field("outcome", outcome)
    line.optional("reason", reason)
    line.object("counts") { line in
      for count in counts {
        line.dynamicName(count.name)
        line.integer(count.value)
      }
    }
  }

  init(reading reader: inout JSONReader) throws(JSONError) {
    var job: String?
    var zone: String?
    var nominal: Instant?
    var nominalLocal: String?
    var actual: Instant?
    var outcome: String?
    var reason: String?
    var counts: [RunCount]?
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "job": job = try reader.readString()
      case "zone": zone = try reader.readString()
      case "nominal": nominal = try reader.readInstant()
      case "nominalLocal": nominalLocal = try reader.readString()
      case "actual": actual = try reader.readInstant()
      case "outcome": outcome = try reader.readString()
      case "reason": reason = try reader.readString()
      case "counts": counts = try RunCount.readAll(&reader)
      default: try reader.skipValue()
      }
    }
    self.init(
      job: try reader.require(job, "job"), zone: try reader.require(zone, "zone"),
      nominal: try reader.require(nominal, "nominal"),
      nominalLocal: try reader.require(nominalLocal, "nominalLocal"),
      actual: try reader.require(actual, "actual"), outcome: try reader.require(outcome, "outcome"),
      reason: reason, counts: try reader.require(counts, "counts"))
  }
}

extension RunCount {
  /// Reads an object of figures, in their order.
  fileprivate static func readAll(_ reader: inout JSONReader) throws(JSONError) -> [RunCount] {
    var counts: [RunCount] = []
    try reader.readObject { (reader, name) throws(JSONError) in
      counts.append(RunCount(name: try name.text(), value: try reader.readInt()))
    }
    return counts
  }
}
