/// A pull reader of one strict JSON text (RFC 8259) that makes no tree and copies nothing it is not asked for.
///
/// The caller walks the text in order: each `read…` takes exactly the value that stands next and throws, with the
/// byte offset, when that value has another shape. The bytes must outlive the reader. Not thread-safe.
public struct JSONReader {
  /// The kinds of JSON value, as told by a value's first byte.
  public enum Kind: Sendable {
    case object, array, string, number, bool, null
  }

  @usableFromInline var scanner: JSONScanner
  private let depthLimit: Int
  private var depth = 0

  /// Creates a reader over `bytes` that refuses nesting deeper than `depthLimit`.
  public init(_ bytes: UnsafeBufferPointer<UInt8>, depthLimit: Int = 32) {
    scanner = JSONScanner(bytes)
    self.depthLimit = depthLimit
  }

  /// Creates a reader that stands at `offset` within the object that is `bytes`: its members up to there have been
  /// looked at, and ``takeKey(_:isFirst:)`` must follow, not for the first, or ``takeEnd()``.
  public init(_ bytes: UnsafeBufferPointer<UInt8>, insideObjectAt offset: Int) {
    self.init(bytes)
    scanner.offset = offset
    depth = 1
  }

  /// The offset of the next unread byte.
  @inlinable public var offset: Int { scanner.offset }

  /// Returns the kind of the next value; throws at the end of the text or at a byte that starts no value.
  public mutating func peek() throws(JSONError) -> Kind {
    scanner.skipSpace()
    guard let byte = scanner.byte else { throw error("the text ends where a value should begin") }
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

  /// Begins to read an object; ``takeKey(_:isFirst:)`` must follow for each member, and then ``takeEnd()``.
  public mutating func beginObject() throws(JSONError) { try open(UInt8(ascii: "{"), "an object") }

  /// Reads the name of the object's next member, whose value must be read next; nil at the object's end.
  private mutating func readKey(isFirst: Bool) throws(JSONError) -> JSONKey? {
    if isFirst {
      if scanner.take(UInt8(ascii: "}")) {
        close()
        return nil
      }
    } else if !scanner.take(UInt8(ascii: ",")) {
      guard scanner.take(UInt8(ascii: "}")) else { throw error("expected ',' or '}' in an object") }
      close()
      return nil
    }
    scanner.skipSpace()
    let key = JSONKey(bytes: scanner.bytes, content: try scanner.stringContent())
    guard scanner.take(UInt8(ascii: ":")) else { throw error("expected ':' after a key") }
    return key
  }

  /// Takes the name of the object's next member when it is `name` just as this program writes it, without white
  /// space or escapes, and says whether it was; then its value must be read next. Of a name that is taken in this way nothing
  /// is scanned or made.
  public mutating func takeKey(_ name: StaticString, isFirst: Bool) -> Bool {
    scanner.takeName(name, isFirst: isFirst)
  }

  /// Takes the end of the object when it stands next without white space, and says whether it did.
  public mutating func takeEnd() -> Bool {
    guard scanner.byte == UInt8(ascii: "}") else { return false }
    scanner.offset += 1
    close()
    return true
  }

  /// Reads an array; `element` is called once per element, in order, and must read exactly that element.
  public mutating func readArray(
    _ element: (inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) {
    try open(UInt8(ascii: "["), "an array")
    scanner.skipSpace()
    if scanner.take(UInt8(ascii: "]")) { return close() }
    while true {
      try element(&self)
      scanner.skipSpace()
      if scanner.take(UInt8(ascii: ",")) { continue }
      guard scanner.take(UInt8(ascii: "]")) else { throw error("expected ',' or ']' in an array") }
      return close()
    }
  }

  /// Takes `null` when it stands next, and says whether it did.
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

  /// Reads a string with its escapes resolved.
  public mutating func readString() throws(JSONError) -> String {
    scanner.skipSpace()
    let content = try scanner.stringContent()
    return try JSONKey(bytes: scanner.bytes, content: content).text()
  }

  /// Reads a string and returns the range of its bytes as they stand between the quotes.
  ///
  /// Throws when the string holds an escape: use it for values that never need one (instants, ids, hashes).
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

  /// Reads a whole number; throws on a fraction, an exponent or a value outside 64 bits.
  public mutating func readInt() throws(JSONError) -> Int64 {
    scanner.skipSpace()
    return try scanner.integer()
  }

  /// Returns the bytes at `range`, which some `read…` returned.
  public func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> { scanner.slice(range) }

  /// Passes over one value of any kind, checking it as strictly as if it were read.
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

  /// Throws unless nothing but white space is left.
  public mutating func finish() throws(JSONError) {
    scanner.skipSpace()
    if scanner.byte != nil { throw error("unexpected text after the value") }
  }

  /// Returns an error at the next unread byte.
  public func error(_ what: String) -> JSONError { scanner.error(what) }

  private mutating func open(_ bracket: UInt8, _ what: String) throws(JSONError) {
    guard scanner.take(bracket) else { throw error("expected \(what)") }
    depth += 1
    if depth > depthLimit { throw error("nested deeper than \(depthLimit) levels") }
  }

  private mutating func close() { depth -= 1 }
}
