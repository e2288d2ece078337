import CivilTime
import StrictJSON

extension JSONWriter {
  /// Writes a member whose value is an instant.
  mutating func member(_ name: String, _ instant: Instant) { member(name, instant.description) }

  /// Writes a member whose value is a date.
  mutating func member(_ name: String, _ day: Day) { member(name, day.description) }

  /// Writes an array of whole numbers.
  mutating func ints(_ name: String, _ values: some Sequence<some BinaryInteger>) {
    key(name)
    beginArray()
    for value in values { int(value) }
    endArray()
  }
}

extension JSONReader {
  /// Reads an array of whole numbers, `count` of them when that is given.
  mutating func readInts(count: Int? = nil) throws(JSONError) -> [Int64] {
    let values = try readElements { (reader) throws(JSONError) in try reader.readInt() }
    if let count, values.count != count { throw error("expected \(count) numbers") }
    return values
  }
}
