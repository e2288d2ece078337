internal import CivilTime
internal import StrictJSON

/// The value of a field that should contain an instant.
enum InstantField {
  /// Missing, null, empty, or MySQL's zero date.
  case absent
  case present(Instant)
  /// Anything else, with the reason.
  case wrong(String)

  /// The instant, if there is one.
  var instant: Instant? {
    if case .present(let instant) = self { return instant }
    return nil
  }

  /// The reason why it is wrong, if it is.
  var flaw: String? {
    if case .wrong(let what) = self { return what }
    return nil
  }

  /// Reads the next value of `reader`; throws only if the text is not JSON.
  static func read(
    from reader: inout JSONReader, naiveZone: Zone
  ) throws(JSONError) -> InstantField {
    switch try reader.peek() {
    case .null:
      try reader.skipValue()
      return .absent
    case .string: return try readText(from: &reader, naiveZone: naiveZone)
    default:
      try reader.skipValue()
      return .wrong("is not a text")
    }
  }

  private static func readText(
    from reader: inout JSONReader, naiveZone: Zone
  ) throws(JSONError) -> InstantField {
    // Only a text with escapes needs a copy; the reader is a value, so the attempt is free to undo.
    var plain = reader
    if let range = try? plain.readPlainString() {
      reader = plain
      return parse(reader.slice(range), naiveZone: naiveZone)
    }
    let text = Array(try reader.readString().utf8)
    return text.withUnsafeBufferPointer { parse($0, naiveZone: naiveZone) }
  }

  private static func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, naiveZone: Zone
  ) -> InstantField {
    if bytes.isEmpty { return .absent }
    do throws(InstantTextError) {
      return .present(try InstantText.parse(bytes, naiveZone: naiveZone).instant)
    } catch .zeroDate {
      return .absent
    } catch {
      return .wrong("\(error)")
    }
  }
}
