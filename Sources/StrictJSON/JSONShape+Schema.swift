extension JSONShape {
  /// What readers do with unknown members: refuse them or pass them over.
  public enum UnknownMembers: Sendable {
    case refused, passedOver
  }

  /// Returns the shape as indented JSON Schema (https://json-schema.org/draft/2020-12).
  public func schema(id: String, title: String, _ unknownMembers: UnknownMembers) -> String {
    var page = SchemaPage(unknownMembers: unknownMembers)
    page.open("{")
    page.line("\"$schema\"", "\"https://json-schema.org/draft/2020-12/schema\"")
    page.line("\"$id\"", page.quoted(id))
    page.line("\"title\"", page.quoted(title))
    page.keywords(of: self)
    page.close("}")
    return page.text + "\n"
  }
}

/// A writer of JSON with one entry per line.
private struct SchemaPage {
  let unknownMembers: JSONShape.UnknownMembers
  private(set) var text = ""
  private var depth = 0
  private var isFirst = true

  init(unknownMembers: JSONShape.UnknownMembers) { self.unknownMembers = unknownMembers }

  func quoted(_ text: String) -> String {
    var json = JSONWriter()
    json.string(text)
    return json.text
  }

  mutating func open(_ bracket: String) {
    text += bracket
    depth += 1
    isFirst = true
  }

  mutating func close(_ bracket: String) {
    depth -= 1
    text += "\n\(String(repeating: "  ", count: depth))\(bracket)"
    isFirst = false
  }

  mutating func line(_ name: String, _ value: String = "") {
    text += isFirst ? "\n" : ",\n"
    text += String(repeating: "  ", count: depth)
    text += name.isEmpty ? value : value.isEmpty ? "\(name): " : "\(name): \(value)"
    isFirst = false
  }

  /// Writes the keywords that describe the values of `shape` into the open object.
  mutating func keywords(of shape: JSONShape) {
    switch shape {
    case .any: break
    case .null: line("\"type\"", "\"null\"")
    case .bool: line("\"type\"", "\"boolean\"")
    case .number: line("\"type\"", "\"number\"")
    case .word(let word): line("\"const\"", quoted(word))
    case .text(let format): keywords(of: format)
    case .integer(let range):
      line("\"type\"", "\"integer\"")
      guard let range else { return }
      line("\"minimum\"", "\(range.lowerBound)")
      line("\"maximum\"", "\(range.upperBound)")
    case .list(let element, let count):
      line("\"type\"", "\"array\"")
      if let count {
        line("\"minItems\"", "\(count.lowerBound)")
        line("\"maxItems\"", "\(count.upperBound)")
      }
      member("\"items\"", element)
    case .map(let value):
      line("\"type\"", "\"object\"")
      member("\"additionalProperties\"", value)
    case .object(let fields): keywords(of: fields)
    case .either(let shapes): keywords(ofOneOf: shapes)
    }
  }

  private mutating func keywords(of format: JSONShape.Format) {
    line("\"type\"", "\"string\"")
    switch format {
    case .text: break
    case .instant: line("\"format\"", "\"date-time\"")
    case .day: line("\"format\"", "\"date\"")
    case .hash: line("\"pattern\"", "\"^[0-9a-f]{64}$\"")
    }
  }

  private mutating func keywords(of fields: [JSONShape.Field]) {
    line("\"type\"", "\"object\"")
    line("\"properties\"")
    open("{")
    for field in fields { member(quoted(field.name), field.shape, help: field.help) }
    close("}")
    let required = fields.filter { !$0.isOptional }.map { quoted($0.name) }
    if !required.isEmpty { line("\"required\"", "[\(required.joined(separator: ", "))]") }
    if unknownMembers == .refused { line("\"additionalProperties\"", "false") }
  }

  private mutating func keywords(ofOneOf shapes: [JSONShape]) {
    let words = shapes.compactMap { shape -> String? in
      if case .word(let word) = shape { quoted(word) } else { nil }
    }
    guard words.count < shapes.count else {
      return line("\"enum\"", "[\(words.joined(separator: ", "))]")
    }
    line("\"anyOf\"")
    open("[")
    for shape in shapes { member("", shape) }
    close("]")
  }

  private mutating func member(_ name: String, _ shape: JSONShape, help: String = "") {
    line(name)
    open("{")
    if !help.isEmpty { line("\"description\"", quoted(help)) }
    keywords(of: shape)
    close("}")
  }
}
