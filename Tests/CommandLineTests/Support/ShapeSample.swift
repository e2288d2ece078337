import StrictJSON

/// Makes documents of a shape: each field there, with a value that it may have.
struct ShapeSample {
  /// Values for paths where any would not do, as JSON; an empty one leaves the field out.
  var values: [String: String] = [:]
  /// A field that nobody knows, into the object at this path.
  var strangerIn: String?

  /// A document as JSON.
  func text(of shape: JSONShape, at path: String = "") -> String {
    if let value = values[path] { return value }
    switch shape {
    case .any: return "1"
    case .null: return "null"
    case .bool: return "true"
    case .number: return "1.5"
    case .word(let word): return "\"\(word)\""
    case .integer(let range): return "\(range?.lowerBound ?? 1)"
    case .text(let format):
      switch format {
      case .text: return "\"sample\""
      case .day: return "\"2026-11-20\""
      case .instant: return "\"2026-11-20T08:00:00Z\""
      case .hash: return "\"\(String(repeating: "a", count: 64))\""
      }
    case .list(let element, let count):
      let one = text(of: element, at: "\(path)[]")
      return
        "[\(Array(repeating: one, count: max(1, count?.lowerBound ?? 1)).joined(separator: ","))]"
    case .map(let value):
      let inner = text(of: value, at: "\(path).*")
      return inner.isEmpty ? "{}" : "{\"sample\":\(inner)}"
    case .either(let shapes): return text(of: shapes[0], at: path)
    case .object(let fields):
      let parts = fields.compactMap { field -> String? in
        let own = path.isEmpty ? field.name : "\(path).\(field.name)"
        let value = text(of: field.shape, at: own)
        return value.isEmpty ? nil : "\"\(field.name)\":\(value)"
      }
      return "{\((parts + stranger(path)).joined(separator: ","))}"
    }
  }

  private func stranger(_ path: String) -> [String] { strangerIn == path ? ["\"zzzzzz\":1"] : [] }

  /// The objects with fields of their own in a shape, with their paths.
  static func objects(
    in shape: JSONShape, at path: String = ""
  ) -> [(path: String, names: [String])] {
    switch shape {
    case .object(let fields):
      [(path, fields.map(\.name))]
        + fields.flatMap {
          objects(in: $0.shape, at: path.isEmpty ? $0.name : "\(path).\($0.name)")
        }
    case .list(let element, _): objects(in: element, at: "\(path)[]")
    case .map(let value): objects(in: value, at: "\(path).*")
    case .either(let shapes): shapes.first.map { objects(in: $0, at: path) } ?? []
    default: []
    }
  }

  /// The whole numbers with limits in a shape, with their paths.
  static func limits(
    in shape: JSONShape, at path: String = ""
  ) -> [(path: String, range: ClosedRange<Int64>)] {
    switch shape {
    case .integer(let range?): [(path, range)]
    case .object(let fields):
      fields.flatMap { limits(in: $0.shape, at: path.isEmpty ? $0.name : "\(path).\($0.name)") }
    case .list(let element, _): limits(in: element, at: "\(path)[]")
    case .map(let value): limits(in: value, at: "\(path).*")
    case .either(let shapes): shapes.first.map { limits(in: $0, at: path) } ?? []
    default: []
    }
  }
}
