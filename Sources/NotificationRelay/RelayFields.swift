import CivilTime
import StrictJSON

/// Reads the fields that lines and caches of the relay share.
struct RelayFields {
  let node: JSONNode

  init(_ node: JSONNode) { self.node = node }

  func has(_ name: String) -> Bool { node[name] != nil }

  func text(_ name: String) throws(JSONError) -> String {
    guard let text = node[name]?.string else { throw missing(name) }
    return text
  }

  /// A whole number, not negative.
  func number(_ name: String) throws(JSONError) -> Int64 {
    guard let number = node[name]?.int, number >= 0 else { throw missing(name) }
    return number
  }

  func instant(_ name: String) throws(JSONError) -> Instant {
    guard let instant = try? InstantText.parse(text(name)).instant else { throw missing(name) }
    return instant
  }

  func instantIfThere(_ name: String) throws(JSONError) -> Instant? {
    has(name) ? try instant(name) : nil
  }

  func objects(_ name: String) throws(JSONError) -> [RelayFields] {
    guard let elements = node[name]?.elements else { throw missing(name) }
    return elements.map { RelayFields($0) }
  }

  func position() throws(JSONError) -> EventPosition {
    EventPosition(
      seq: UInt64(try number("of")), index: has("index") ? Int(try number("index")) : 0)
  }

  func lane() throws(JSONError) -> Lane {
    guard let kind = Lane.Kind(rawValue: has("lane") ? try text("lane") : Lane.Kind.events.rawValue)
    else { throw missing("lane") }
    return Lane(kind, user: try text("user"))
  }

  func missing(_ name: String) -> JSONError {
    JSONError(offset: node.offset, what: "the field \"\(name)\" is missing or no such thing")
  }
}
