/// A pull reader of one strict JSON text (RFC 8259). It builds no tree and copies nothing unless asked to.
///
/// The caller walks the text in order. Each `read…` reads exactly the next value and throws, with the byte offset, if
/// that value has another shape. The bytes must outlive the reader. Not thread-safe.
public struct JSONReader {
  /// The kind of a JSON value, identified by its first byte.
  public enum Kind: Sendable {
    case object, array, string, number, bool, null
  }

  @usableFromInline var scanner: JSONScanner
  private let depthLimit: Int
  private var depth = 0

  /// Creates a reader of `bytes` that refuses nesting deeper than `depthLimit`.
  public init(_ bytes: UnsafeBufferPointer<UInt8>, depthLimit: Int = 32) {
    scanner = JSONScanner(bytes)
    self.depthLimit = depthLimit
  }

  /// Creates a reader at `offset` within the object `bytes`, whose members up to there have been read. Call
  /// ``consumeKey(_:isFirst:)`` (never for the first member) or ``consumeEnd()`` next.
  public init(_ bytes: UnsafeBufferPointer<UInt8>, insideObjectAt offset: Int) {
    self.init(bytes)
    scanner.offset = offset
    depth = 1
  }

  /// The offset of the next unread byte.
  @inlinable public var offset: Int { scanner.offset }

  /// Returns the kind of the next value. Throws at the end of the text or at a byte that begins no value.
  public mutating func peek() throws(JSONError) -> Kind {
    scanner.skipSpace()
    guard let byte = scanner.byte else { throw error("expected a value") }
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

  /// Reads an object. Calls `member` once per member, in order; it must read exactly the member's value.
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

  /// Begins an object. Call ``consumeKey(_:isFirst:)`` for each member, and then ``consumeEnd()``.
  public mutating func beginObject() throws(JSONError) { try open(UInt8(ascii: "{"), "an object") }

  /// Reads the name of the object's next member, or nil at the object's end. Read the member's value next.
  private mutating func readKey(isFirst: Bool) throws(JSONError) -> JSONKey? {
    let end = scanner.offset
    if isFirst {
      if scanner.consume(UInt8(ascii: "}")) {
        close()
        return nil
      }
    } else if !scanner.consume(UInt8(ascii: ",")) {
      guard scanner.consume(UInt8(ascii: "}")) else {
        throw error("expected ',' or '}' in an object", after: end)
      }
      close()
      return nil
    }
    scanner.skipSpace()
    let key = JSONKey(bytes: scanner.bytes, content: try scanner.stringContent())
    guard scanner.consume(UInt8(ascii: ":")) else { throw error("expected ':' after a key") }
    return key
  }

  /// Skips the name of the object's next member if it is `name` exactly as this program writes it, without white
  /// space or escapes, and returns whether it was. If so, read its value next. Neither scans nor allocates for a name
  /// it skips.
  public mutating func consumeKey(_ name: StaticString, isFirst: Bool) -> Bool {
    scanner.consumeName(name, isFirst: isFirst)
  }

  /// Skips the end of the object if it comes next without white space, and returns whether it did.
  public mutating func consumeEnd() -> Bool {
    guard scanner.byte == UInt8(ascii: "}") else { return false }
    scanner.offset += 1
    close()
    return true
  }

  /// Reads an array. Calls `element` once per element, in order; it must read exactly that element.
  public mutating func readArray(
    _ element: (inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) {
    try open(UInt8(ascii: "["), "an array")
    scanner.skipSpace()
    if scanner.consume(UInt8(ascii: "]")) { return close() }
    while true {
      try element(&self)
      let end = scanner.offset
      if scanner.consume(UInt8(ascii: ",")) { continue }
      guard scanner.consume(UInt8(ascii: "]")) else {
        throw error("expected ',' or ']' in an array", after: end)
      }
      return close()
    }
  }

  /// Skips `null` if it comes next, and returns whether it did.
  public mutating func readNull() throws(JSONError) -> Bool {
    guard try peek() == .null else { return false }
    try scanner.word("null")
    return true
  }

  /// Reads `true` or `false`.
  public mutating func readBool() throws(JSONError) -> Bool {
    scanner.skipSpace()
    if scanner.byte == UInt8(ascii: "t") {
      try scanner.word("true")
      return true
    }
    guard scanner.byte == UInt8(ascii: "f") else { throw error("expected true or false") }
    try scanner.word("false")
    return false
  }

  /// Reads a string and resolves its escapes.
  public mutating func readString() throws(JSONError) -> String {
    scanner.skipSpace()
    let content = try scanner.stringContent()
    return try JSONKey(bytes: scanner.bytes, content: content).text()
  }

  /// Reads a string and returns the range of the bytes between its quotes.
  ///
  /// Throws if the string has an escape, so use it for values that never need one (instants, ids, hashes).
  public mutating func readPlainString() throws(JSONError) -> Range<Int> {
    scanner.skipSpace()
    let content = try scanner.stringContent()
    if content.hasEscape {
      throw JSONError(offset: content.range.lowerBound, what: "unexpected escape")
    }
    return content.range
  }

  /// Reads a number and returns the range of its bytes.
  public mutating func readNumberText() throws(JSONError) -> Range<Int> {
    scanner.skipSpace()
    return try scanner.numberContent()
  }

  /// Reads a whole number. Throws on a fraction, an exponent or a value outside 64 bits.
  public mutating func readInt() throws(JSONError) -> Int64 {
    scanner.skipSpace()
    return try scanner.integer()
  }

  /// Returns the bytes at `range`, a result of some `read…`.
  public func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> { scanner.slice(range) }

  /// Skips one value of any kind, checking it as strictly as if it were read.
  public mutating func skipValue() throws(JSONError) {
    switch try peek() {
    case .object: try readObject { (reader, _) throws(JSONError) in try reader.skipValue() }
    case .array: try readArray { (reader) throws(JSONError) in try reader.skipValue() }
    case .string: _ = try scanner.stringContent()
    case .number: _ = try scanner.numberContent()
    case .bool: _ = try readBool()
    case .null: _ = try readNull()
    }
  }

  /// Throws if anything but white space is left.
  public mutating func finish() throws(JSONError) {
    scanner.skipSpace()
    if scanner.byte != nil { throw error("unexpected text after the value") }
  }

  /// Creates an error at the next unread byte.
  public func error(_ what: String) -> JSONError { scanner.error(what) }

  /// Creates an error where the last value ended at `end`, as that is where a comma is missing; or at the end of the text.
  private func error(_ what: String, after end: Int) -> JSONError {
    scanner.byte == nil ? error(what) : JSONError(offset: end, what: what)
  }

  private mutating func open(_ bracket: UInt8, _ what: String) throws(JSONError) {
    guard scanner.consume(bracket) else { throw error("expected \(what)") }
    depth += 1
    if depth > depthLimit { throw error("nested deeper than \(depthLimit) levels") }
  }

  private mutating func close() { depth -= 1 }
}
