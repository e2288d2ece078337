extension JSONShape {
  /// The shape as the reference pages show it: `user text, streak {length int, lastDay day?}, notes? [text]`.
  ///
  /// The fields of an object stand one below the other, each with its meaning behind `//`. What fits into a line of 140
  /// characters and has no meanings inside stands in one.
  public var notation: String {
    switch self {
    case .object(let fields): Self.lines(of: fields, indent: "").joined(separator: "\n")
    case .either(let shapes) where shapes.allSatisfy(\.hasFields):
      shapes.map { $0.text(indent: "") }.joined(separator: "\n/ ")
    default: text(indent: "")
    }
  }

  private static let lineLimit = 140

  private var hasFields: Bool { if case .object = self { true } else { false } }

  private static func lines(of fields: [Field], indent: String) -> [String] {
    fields.map { field in
      let name = "\(field.name)\(field.isOptional ? "?" : "")"
      let line = "\(indent)\(name) \(field.shape.text(indent: indent))"
      guard !field.help.isEmpty else { return line }
      // The meaning stands behind the first line of what it explains.
      let parts = line.split(separator: "\n", maxSplits: 1)
      return "\(parts[0])  // \(field.help)" + (parts.count > 1 ? "\n\(parts[1])" : "")
    }
  }

  private func text(indent: String) -> String {
    let short = shortText
    if !hasMeanings, indent.count + short.count < Self.lineLimit { return short }
    let inner = indent + "  "
    switch self {
    case .object(let fields):
      return "{\n" + Self.lines(of: fields, indent: inner).joined(separator: "\n") + "\n\(indent)}"
    case .list(let element, let count):
      return "[\(element.text(indent: indent))]" + Self.text(of: count)
    case .map(let value): return "{* \(value.text(indent: indent))}"
    case .either(let shapes):
      let isNullable = shapes.count == 2 && shapes[1] == .null
      return isNullable
        ? shapes[0].text(indent: indent) + "?"
        : shapes.map { $0.text(indent: indent) }.joined(separator: " / ")
    default: return short
    }
  }

  private var hasMeanings: Bool {
    switch self {
    case .object(let fields): fields.contains { !$0.help.isEmpty || $0.shape.hasMeanings }
    case .list(let element, _): element.hasMeanings
    case .map(let value): value.hasMeanings
    case .either(let shapes): shapes.contains(where: \.hasMeanings)
    default: false
    }
  }

  private var shortText: String {
    switch self {
    case .any: "any"
    case .null: "null"
    case .bool: "bool"
    case .text(let format): format.rawValue
    case .word(let word): "'\(word)'"
    case .integer(let range): "int" + (range.map { " \($0.lowerBound)..\($0.upperBound)" } ?? "")
    case .number: "number"
    case .list(let element, let count): "[\(element.shortText)]" + Self.text(of: count)
    case .map(let value): "{* \(value.shortText)}"
    case .object(let fields):
      "{"
        + fields.map { "\($0.name)\($0.isOptional ? "?" : "") \($0.shape.shortText)" }
        .joined(separator: ", ") + "}"
    case .either(let shapes):
      shapes.count == 2 && shapes[1] == .null
        ? shapes[0].shortText + "?" : shapes.map(\.shortText).joined(separator: "/")
    }
  }

  private static func text(of count: ClosedRange<Int>?) -> String {
    count.map { " \($0.lowerBound)..\($0.upperBound)" } ?? ""
  }
}
