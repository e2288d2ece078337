import StrictJSON

@testable import rewards

extension SchemaCatalogue {
  /// There is no schema of that name.
  struct Missing: Error { let name: String }

  /// The schema as it is printed, read again.
  static func node(of name: String) throws -> JSONNode {
    guard let entry = entry(name) else { throw Missing(name: name) }
    let text = entry.shape.schema(id: "urn:x", title: entry.title, entry.unknownMembers)
    return try JSONNode.parse(Array(text.utf8))
  }

  /// What a document may be.
  static func shape(of name: String) throws -> JSONShape {
    guard let entry = entry(name) else { throw Missing(name: name) }
    return entry.shape
  }
}

/// Holds JSON against JSON Schemas, as far as the program's use them.
struct SchemaChecker {
  /// Whether a field that the schema does not name is a flaw, whatever the schema says.
  var isClosed = true

  /// What of `value` is not as `schema` says, each with its path.
  func flaws(_ value: JSONNode, _ schema: JSONNode, at path: String = "$") -> [String] {
    if let choices = schema["anyOf"]?.elements {
      let each = choices.map { flaws(value, $0, at: path) }
      return each.contains { $0.isEmpty } ? [] : each.min { $0.count < $1.count } ?? []
    }
    if let word = schema["const"]?.string {
      return value.string == word ? [] : ["\(path) is not \"\(word)\""]
    }
    if let words = schema["enum"]?.elements?.compactMap(\.string) {
      return words.contains(value.string ?? "") ? [] : ["\(path) is none of \(words)"]
    }
    guard let type = schema["type"]?.string else { return [] }
    switch (type, value.content) {
    case ("null", .null), ("boolean", .bool): return []
    case ("number", .number): return []
    case ("integer", .number): return flaws(ofInteger: value, schema, path)
    case ("string", .string(let text)): return flaws(ofText: text, schema, path)
    case ("array", .array(let elements)): return flaws(of: elements, schema, path)
    case ("object", .object(let members)): return flaws(of: members, schema, path)
    default: return ["\(path) is no \(type)"]
    }
  }

  private func flaws(ofInteger value: JSONNode, _ schema: JSONNode, _ path: String) -> [String] {
    guard let number = value.int else { return ["\(path) is no whole number"] }
    let range = (schema["minimum"]?.int ?? .min)...(schema["maximum"]?.int ?? .max)
    return range.contains(number) ? [] : ["\(path) is not in \(range)"]
  }

  private func flaws(ofText text: String, _ schema: JSONNode, _ path: String) -> [String] {
    let isRight =
      switch schema["format"]?.string {
      case "date-time": text.wholeMatch(of: /[0-9]{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) != nil
      case "date": text.wholeMatch(of: /[0-9]{4,}-\d\d-\d\d/) != nil
      // Recorded runs have a word where a hash was.
      default:
        schema["pattern"] == nil || text == "HASH" || text.wholeMatch(of: /[0-9a-f]{64}/) != nil
      }
    return isRight ? [] : ["\(path) is \"\(text)\""]
  }

  private func flaws(of elements: [JSONNode], _ schema: JSONNode, _ path: String) -> [String] {
    let count = Int64(elements.count)
    let range = (schema["minItems"]?.int ?? 0)...(schema["maxItems"]?.int ?? .max)
    let length = range.contains(count) ? [] : ["\(path) has \(count) elements"]
    guard let inner = schema["items"] else { return length }
    return length
      + elements.enumerated().flatMap { flaws($0.element, inner, at: "\(path)[\($0.offset)]") }
  }

  private func flaws(
    of members: [JSONNode.Member], _ schema: JSONNode, _ path: String
  ) -> [String] {
    let known = schema["properties"]?.members ?? []
    var flaws: [String] = []
    for name in schema["required"]?.elements?.compactMap(\.string) ?? []
    where !members.contains(where: { $0.key == name }) {
      flaws.append("\(path).\(name) is missing")
    }
    for member in members {
      let place = "\(path).\(member.key)"
      if let own = known.first(where: { $0.key == member.key }) {
        flaws += self.flaws(member.value, own.value, at: place)
      } else if let rest = schema["additionalProperties"], rest.members != nil {
        flaws += self.flaws(member.value, rest, at: place)
      } else if isClosed || schema["additionalProperties"] != nil {
        flaws.append("\(place) is surplus")
      }
    }
    return flaws
  }
}
