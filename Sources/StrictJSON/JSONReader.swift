/// A pull reader of one strict JSON text (RFC 8259) that makes no tree and copies nothing it is not asked for.
///
/// The caller walks the text in order: each `read…` takes exactly the value that stands next and throws, with the
/// byte offset, when that value has another shape. The bytes must outlive the reader. Not thread-safe.
public struct JSONReader {
  /// The kinds of JSON value, as told by a value's first byte.
  public enum Kind: Sendable {
    case object, array, string, number, bool, null
  }

  @usableFromInline let bytes: UnsafeBufferPointer<UInt8>
  /// The offset of the next unread byte.
  public internal(set) var offset = 0
  let depthLimit: Int
  var depth = 0

  /// A reader over `bytes` that refuses nesting deeper than `depthLimit`.
  public init(_ bytes: UnsafeBufferPointer<UInt8>, depthLimit: Int = 32) {
    self.bytes = bytes
    self.depthLimit = depthLimit
  }

  /// The kind of the next value; throws at the end of the text or at a byte that starts no value.
  public mutating func peek() throws(JSONError) -> Kind {
    skipSpace()
    guard let byte else { throw error("the text ends where a value should begin") }
    switch byte {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw error("no JSON value begins here")
    }
  }

  /// Reads an object; `member` is called once per member, in order, and must read exactly the member's value.
  public mutating func readObject(
    _ member: (inout JSONReader, JSONKey) throws(JSONError) -> Void
  ) throws(JSONError) {
    try beginObject()
    var isFirst = true
    while let key = try readKey(isFirst: isFirst) {
      isFirst = false
      try member(&self, key)
    }
  }

  /// Begins to read an object; ``readKey(isFirst:)`` must follow until it returns nil.
  public mutating func beginObject() throws(JSONError) { try open(UInt8(ascii: "{"), "an object") }

  /// Reads the name of the object's next member, whose value must be read next; nil at the object's end.
  public mutating func readKey(isFirst: Bool) throws(JSONError) -> JSONKey? {
    if isFirst {
      if take(UInt8(ascii: "}")) {
        close()
        return nil
      }
    } else if !take(UInt8(ascii: ",")) {
      guard take(UInt8(ascii: "}")) else { throw error("expected ',' or '}' in an object") }
      close()
      return nil
    }
    skipSpace()
    let key = JSONKey(bytes: bytes, content: try readStringContent())
    guard take(UInt8(ascii: ":")) else { throw error("expected ':' after a key") }
    return key
  }

  /// Reads an array; `element` is called once per element, in order, and must read exactly that element.
  public mutating func readArray(
    _ element: (inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) {
    try open(UInt8(ascii: "["), "an array")
    skipSpace()
    if take(UInt8(ascii: "]")) { return close() }
    while true {
      try element(&self)
      skipSpace()
      if take(UInt8(ascii: ",")) { continue }
      guard take(UInt8(ascii: "]")) else { throw error("expected ',' or ']' in an array") }
      return close()
    }
  }

  /// Takes `null` when it stands next, and says whether it did.
  public mutating func readNull() throws(JSONError) -> Bool {
    guard try peek() == .null else { return false }
    try readWord("null")
    return true
  }

  /// Reads `true` or `false`.
  public mutating func readBool() throws(JSONError) -> Bool {
    skipSpace()
    if byte == UInt8(ascii: "t") {
      try readWord("true")
      return true
    }
    guard byte == UInt8(ascii: "f") else { throw error("expected true or false") }
    try readWord("false")
    return false
  }

  /// Passes over one value of any kind, checking it as strictly as if it were read.
  public mutating func skipValue() throws(JSONError) {
    switch try peek() {
    case .object: try readObject { (reader, _) throws(JSONError) in try reader.skipValue() }
    case .array: try readArray { (reader) throws(JSONError) in try reader.skipValue() }
    case .string: _ = try readStringContent()
    case .number: _ = try readNumberContent()
    case .bool: _ = try readBool()
    case .null: _ = try readNull()
    }
  }

  /// Throws unless nothing but white space is left.
  public mutating func finish() throws(JSONError) {
    skipSpace()
    if byte != nil { throw error("unexpected text after the value") }
  }

  /// An error at the next unread byte.
  public func error(_ what: String) -> JSONError { JSONError(offset: offset, what: what) }

  @inline(__always)
  var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  @inline(__always)
  mutating func take(_ wanted: UInt8) -> Bool {
    skipSpace()
    guard byte == wanted else { return false }
    offset += 1
    return true
  }

  @inline(__always)
  mutating func skipSpace() {
    while let next = byte, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 {
      offset += 1
    }
  }

  private mutating func open(_ bracket: UInt8, _ what: String) throws(JSONError) {
    guard take(bracket) else { throw error("expected \(what)") }
    depth += 1
    if depth > depthLimit { throw error("nested deeper than \(depthLimit) levels") }
  }

  private mutating func close() { depth -= 1 }

  private mutating func readWord(_ word: StaticString) throws(JSONError) {
    skipSpace()
    let length = word.utf8CodeUnitCount
    guard offset + length <= bytes.count else { throw error("expected \(word)") }
    for index in 0..<length where bytes[offset + index] != word.utf8Start[index] {
      throw error("expected \(word)")
    }
    offset += length
  }
}
