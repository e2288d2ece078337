/// One value of a parsed JSON text with its position, for documents written by people.
public struct JSONNode: Sendable {
  /// One member of an object.
  public struct Member: Sendable {
    /// The member's name.
    public let key: String
    /// The byte offset of the name.
    public let keyOffset: Int
    /// The member's value.
    public let value: JSONNode
  }

  /// The content of a value; a number keeps its text.
  public enum Content: Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONNode])
    case object([Member])
  }

  /// The value.
  public let content: Content
  /// The offset of its first byte.
  public let offset: Int

  /// Parses a whole text. Throws on anything RFC 8259 forbids, on a repeated key and on nesting deeper than 32 levels.
  ///
  /// With `allowingComments`, `//` to the end of the line and `/* … */` count as white space.
  public static func parse(
    _ text: [UInt8], allowingComments: Bool = false
  ) throws(JSONError) -> JSONNode {
    let bytes = allowingComments ? withoutComments(text) : text
    var outcome: Result<JSONNode, JSONError>?
    bytes.withUnsafeBufferPointer { buffer in
      var reader = JSONReader(buffer)
      outcome = Result { () throws(JSONError) in
        let node = try JSONNode(from: &reader)
        try reader.finish()
        return node
      }
    }
    guard let outcome else { throw JSONError(offset: 0, what: "no text") }
    return try outcome.get()
  }

  /// Reads the next value of `reader`, including everything in it.
  public init(from reader: inout JSONReader) throws(JSONError) {
    let kind = try reader.peek()
    offset = reader.offset
    switch kind {
    case .null:
      _ = try reader.readNull()
      content = .null
    case .bool: content = .bool(try reader.readBool())
    case .number:
      let range = try reader.readNumberText()
      content = .number(String(decoding: reader.slice(range), as: UTF8.self))
    case .string: content = .string(try reader.readString())
    case .array:
      var elements: [JSONNode] = []
      try reader.readArray { (reader) throws(JSONError) in
        elements.append(try JSONNode(from: &reader))
      }
      content = .array(elements)
    case .object:
      var members: [Member] = []
      var seen: Set<String> = []
      try reader.readObject { (reader, key) throws(JSONError) in
        let name = try key.text()
        guard seen.insert(name).inserted else {
          throw JSONError(offset: key.offset, what: "the key \"\(name)\" stands twice")
        }
        members.append(
          Member(key: name, keyOffset: key.offset, value: try JSONNode(from: &reader)))
      }
      content = .object(members)
    }
  }

  /// The value of the member `key`; nil if this is not an object or has no such member.
  public subscript(_ key: String) -> JSONNode? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The text of a string; nil for any other value.
  public var string: String? {
    if case .string(let text) = content { text } else { nil }
  }

  /// The value of a whole number that fits 64 bits; nil for any other value.
  public var int: Int64? {
    if case .number(let text) = content { Int64(text) } else { nil }
  }

  /// The elements of an array; nil for any other value.
  public var elements: [JSONNode]? {
    if case .array(let elements) = content { elements } else { nil }
  }

  /// The members of an object in text order; nil for any other value.
  public var members: [Member]? {
    if case .object(let members) = content { members } else { nil }
  }

  /// Replaces comments with spaces, so that every offset stays the same.
  private static func withoutComments(_ text: [UInt8]) -> [UInt8] {
    var bytes = text
    var index = 0
    var inString = false
    while index < bytes.count {
      let byte = bytes[index]
      if inString {
        if byte == UInt8(ascii: "\\") {
          index += 1
        } else if byte == UInt8(ascii: "\"") {
          inString = false
        }
      } else if byte == UInt8(ascii: "\"") {
        inString = true
      } else if byte == UInt8(ascii: "/"), index + 1 < bytes.count {
        if bytes[index + 1] == UInt8(ascii: "/") {
          while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
            bytes[index] = 0x20
            index += 1
          }
        } else if bytes[index + 1] == UInt8(ascii: "*") {
          index = blankBlockComment(in: &bytes, from: index)
        }
      }
      index += 1
    }
    return bytes
  }

  private static func blankBlockComment(in bytes: inout [UInt8], from start: Int) -> Int {
    var index = start + 2
    while index + 1 < bytes.count,
      !(bytes[index] == UInt8(ascii: "*") && bytes[index + 1] == UInt8(ascii: "/"))
    {
      index += 1
    }
    // Leaves an unclosed comment as it is, so that the parser reports its place.
    guard index + 1 < bytes.count else { return start + 1 }
    for position in start..<index + 2 where bytes[position] != UInt8(ascii: "\n") {
      bytes[position] = 0x20
    }
    return index + 1
  }
}
