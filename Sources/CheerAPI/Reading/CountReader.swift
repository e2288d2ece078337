internal import CivilTime
internal import Evidence
internal import HTTPClient
internal import StrictJSON

/// Reads the answers of routes that count, such as 196 and 198: an object with one numeric field.
///
/// 204, an empty body, `null`, `{}`, `[]` and a field that is missing or null mean "nothing yet". A number may be written as
/// text. Anything but a whole number from 0 on, or a repeated field, is a bad answer.
enum CountReader {
  /// Returns the field `name` of an answer that arrived at `now`.
  static func read(_ name: StaticString, in response: HTTPResponse, at now: Instant) -> Look.Outcome
  {
    if response.status == 204 { return .counted(nil, by: now) }
    // The request was not conditional.
    guard response.status == 200 else { return .failed(.badAnswer) }
    return AnswerBody.outcome(of: response.body, empty: .counted(nil, by: now)) {
      (reader) throws(JSONError) in .counted(try value(of: name, from: &reader), by: now)
    }
  }

  private static func value(
    of name: StaticString, from reader: inout JSONReader
  ) throws(JSONError) -> Int64? {
    var value: Int64?
    var isThere = false
    switch try reader.peek() {
    case .null: try reader.skipValue()
    case .array:
      try reader.readArray { (reader) throws(JSONError) in
        throw reader.error("expected an object")
      }
    default:
      try reader.readObject { (reader, key) throws(JSONError) in
        guard name ~= key else { return try reader.skipValue() }
        if isThere { throw reader.error("a field appears twice") }
        isThere = true
        value = try number(from: &reader)
      }
    }
    return value
  }

  private static func number(from reader: inout JSONReader) throws(JSONError) -> Int64? {
    switch try reader.peek() {
    case .null:
      try reader.skipValue()
      return nil
    case .string:
      let text = try reader.readString()
      if text.isEmpty { return nil }
      // Only digits: no sign, no blank, no foreign digit.
      guard text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int64(text)
      else { throw reader.error("not a whole number") }
      return number
    default:
      let number = try reader.readInt()
      guard number >= 0 else { throw reader.error("a negative number") }
      return number
    }
  }
}
