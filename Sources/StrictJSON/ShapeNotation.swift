/// A parser of shapes as the reference pages write them: `user text, streak {length int 0.., lastDay day?}, notes? [text]`.
///
/// A field is its name, `?` if it is optional, and its shape. Commas are optional, and `//` begins the field's
/// meaning. Shapes are `text`, `instant`, `day`, `hash`, `int`, `number`, `bool`, `any`, `null`, `'a word'`,
/// `[elements]`, `{fields}` and, for free names, `{* values}`. `?` after a shape means "or null", `/` separates
/// alternatives, and `LOW..HIGH` after `int` or `]` sets limits. `NAME = SHAPE` before the shape names a part of it.
public struct ShapeNotation {
  private let tokens: [Token]
  private var position = 0
  private var parts: [String: JSONShape] = [:]

  private struct Token {
    let text: String
    /// The text behind `//` at the end of the token's line.
    var remark = ""
    let line: Int
  }

  /// Text that is not a shape, and its line.
  public struct Problem: Error, Sendable, Equatable {
    /// The line of the text, from 1.
    public let line: Int
    /// The offending text.
    public let what: String
  }

  private init(_ text: String) {
    var tokens: [Token] = []
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let (code, remark) = Self.parts(of: line)
      let words = Self.words(in: code)
      tokens += words.map { Token(text: $0, line: index + 1) }
      if !remark.isEmpty, !words.isEmpty { tokens[tokens.count - words.count].remark = remark }
    }
    self.tokens = tokens
  }

  /// Parses the shape in `text`.
  public static func parse(_ text: String) throws(Problem) -> JSONShape {
    var reader = ShapeNotation(text)
    while reader.position + 1 < reader.tokens.count, reader.tokens[reader.position + 1].text == "="
    {
      let name = reader.tokens[reader.position].text
      reader.position += 2
      reader.parts[name] = try reader.shape()
    }
    let shape: JSONShape =
      reader.areFieldsNext ? .object(try reader.fields()) : try reader.shape()
    guard reader.peek.isEmpty else { throw reader.problem("unexpected \"\(reader.peek)\"") }
    return shape
  }

  private static func parts(of line: Substring) -> (code: Substring, remark: String) {
    guard let slashes = line.firstRange(of: "//") else { return (line, "") }
    let remark = line[slashes.upperBound...].drop { $0 == " " }
    return (line[..<slashes.lowerBound], String(remark))
  }

  private static func words(in line: Substring) -> [String] {
    var words: [String] = []
    var rest = line
    while let first = rest.first {
      if first == " " || first == "," {
        rest.removeFirst()
      } else if first == "'" {
        let word = rest.dropFirst().prefix { $0 != "'" }
        words.append("'\(word)")
        rest = rest.dropFirst(word.count + 2)
      } else if "[]{}?/=*".contains(first) {
        words.append(String(first))
        rest.removeFirst()
      } else {
        let word = rest.prefix { !" ,'[]{}?/=*".contains($0) }
        words.append(String(word))
        rest = rest.dropFirst(word.count)
      }
    }
    return words
  }

  private var peek: String { position < tokens.count ? tokens[position].text : "" }

  /// Whether fields without braces come next, rather than a shape.
  private var areFieldsNext: Bool {
    let rest = tokens[min(position, tokens.count)...].prefix(3).map(\.text)
    guard rest.count > 1, let first = rest[0].first, !"[{'".contains(first) else { return false }
    return rest[1] != "/" && !rest[1].contains("..") && (rest[1] != "?" || rest.count > 2)
  }

  private func problem(_ what: String) -> Problem {
    Problem(
      line: position < tokens.count ? tokens[position].line : tokens.last?.line ?? 1, what: what)
  }

  private mutating func consume(_ text: String) -> Bool {
    guard peek == text else { return false }
    position += 1
    return true
  }

  private mutating func fields() throws(Problem) -> [JSONShape.Field] {
    var fields: [JSONShape.Field] = []
    while !peek.isEmpty, peek != "}" {
      let token = tokens[position]
      position += 1
      let isOptional = consume("?")
      fields.append(
        JSONShape.Field(token.text, try shape(), isOptional: isOptional, help: token.remark))
    }
    return fields
  }

  private mutating func shape() throws(Problem) -> JSONShape {
    var shapes = [try alternative()]
    while consume("/") { shapes.append(try alternative()) }
    return shapes.count == 1 ? shapes[0] : .either(shapes)
  }

  private mutating func alternative() throws(Problem) -> JSONShape {
    let shape = try single()
    return consume("?") ? shape.orNull : shape
  }

  private static let simple: [String: JSONShape] = [
    "any": .any, "null": .null, "bool": .bool, "number": .number, "int": .integer(nil),
    "text": .text(.text), "instant": .text(.instant), "day": .text(.day), "hash": .text(.hash),
  ]

  private mutating func single() throws(Problem) -> JSONShape {
    let word = peek
    position += 1
    switch word {
    case "": throw problem("a shape is missing")
    case "[":
      let element = try shape()
      guard consume("]") else { throw problem("expected \"]\"") }
      return .list(element, count: range().map { Int($0.lowerBound)...Int($0.upperBound) })
    case "{":
      let value: JSONShape =
        consume("*") ? .map(try shape()) : .object(try fields())
      guard consume("}") else { throw problem("expected \"}\"") }
      return value
    case "int": return .integer(range())
    default:
      if word.hasPrefix("'") { return .word(String(word.dropFirst())) }
      guard let shape = parts[word] ?? Self.simple[word] else {
        position -= 1
        throw problem("unknown shape \"\(word)\"")
      }
      return shape
    }
  }

  /// Reads `LOW..HIGH` if it comes next.
  private mutating func range() -> ClosedRange<Int64>? {
    guard let dots = peek.firstRange(of: ".."), let low = Int64(peek[..<dots.lowerBound]),
      let high = Int64(peek[dots.upperBound...]), low <= high
    else { return nil }
    position += 1
    return low...high
  }
}
