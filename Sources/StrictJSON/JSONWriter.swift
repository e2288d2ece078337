/// A writer of one compact JSON text, with members in the order of the calls.
///
/// The caller keeps objects and arrays balanced; the writer adds the commas.
public struct JSONWriter {
  /// The text so far.
  public var bytes: [UInt8] = []
  private var needsComma = false

  /// Creates an empty writer.
  public init() {}

  /// The text so far, as a `String`.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Opens an object.
  public mutating func beginObject() {
    separate()
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
  }

  /// Closes the innermost object.
  public mutating func endObject() {
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
  }

  /// Opens an array.
  public mutating func beginArray() {
    separate()
    bytes.append(UInt8(ascii: "["))
    needsComma = false
  }

  /// Closes the innermost array.
  public mutating func endArray() {
    bytes.append(UInt8(ascii: "]"))
    needsComma = true
  }

  /// Writes a member's name. Write its value next.
  public mutating func key(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a string, with every escape JSON needs.
  public mutating func string(_ value: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x0A: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
      case 0x00..<0x20, 0x7F:
        let hex = "0123456789abcdef".utf8.map { $0 }
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(hex[Int(byte >> 4)])
        bytes.append(hex[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// Writes a whole number.
  public mutating func int(_ value: some BinaryInteger) { raw(String(value)) }

  /// Writes a number with `decimals` digits after the point, or null for a value that is not finite.
  public mutating func double(_ value: Double, decimals: Int) {
    guard value.isFinite else { return null() }
    var scale: Int64 = 1
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int64((value * Double(scale)).rounded())
    let fraction = String(scaled.magnitude % UInt64(scale))
    let padding = String(repeating: "0", count: max(0, decimals - fraction.count))
    let whole = "\(scaled < 0 ? "-" : "")\(scaled.magnitude / UInt64(scale))"
    raw(decimals == 0 ? whole : "\(whole).\(padding)\(fraction)")
  }

  /// Writes true or false.
  public mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

  /// Writes null.
  public mutating func null() { raw("null") }

  /// Writes a value that is already JSON.
  public mutating func raw(_ json: String) {
    separate()
    bytes.append(contentsOf: json.utf8)
    needsComma = true
  }

  /// Writes a parsed value again, without white space.
  public mutating func node(_ node: JSONNode) {
    switch node.content {
    case .null: null()
    case .bool(let value): bool(value)
    case .number(let text): raw(text)
    case .string(let text): string(text)
    case .array(let elements):
      beginArray()
      for element in elements { self.node(element) }
      endArray()
    case .object(let members):
      beginObject()
      for member in members {
        key(member.key)
        self.node(member.value)
      }
      endObject()
    }
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = false
  }
}
