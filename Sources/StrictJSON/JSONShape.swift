/// The shape of a JSON value: declared once, printed as JSON Schema, and checked against what programs read and write.
public indirect enum JSONShape: Sendable, Equatable {
  /// Any value.
  case any
  case null
  case bool
  case text(Format)
  /// Exactly this text.
  case word(String)
  /// A whole number, of 64 bits unless narrower.
  case integer(ClosedRange<Int64>?)
  /// A number, perhaps with a fraction.
  case number
  /// An array of this many elements of one shape.
  case list(JSONShape, count: ClosedRange<Int>?)
  /// An object with free names and values of one shape.
  case map(JSONShape)
  case object([Field])
  /// Any one of these shapes.
  case either([JSONShape])

  /// The format of a text.
  public enum Format: String, Sendable, CaseIterable {
    /// Any text.
    case text
    /// RFC 3339 in UTC, e.g. `2026-11-20T08:00:00Z`.
    case instant
    /// A date, e.g. `2026-11-20`.
    case day
    /// A SHA-256 hash as 64 hexadecimal digits.
    case hash
  }

  /// A named field of an object.
  public struct Field: Sendable, Equatable {
    /// Its name.
    public let name: String
    /// The shape of its value.
    public let shape: JSONShape
    /// Whether it may be left out.
    public let isOptional: Bool
    /// Its meaning in a few words; empty if the name says it.
    public let help: String

    /// Creates a field.
    public init(_ name: String, _ shape: JSONShape, isOptional: Bool = false, help: String = "") {
      self.name = name
      self.shape = shape
      self.isOptional = isOptional
      self.help = help
    }
  }

  /// The same shape, or null.
  public var orNull: JSONShape { .either([self, .null]) }

  /// Returns the shape of any one of these texts.
  public static func words(_ words: some Sequence<String>) -> JSONShape {
    .either(words.map { .word($0) })
  }

  /// The paths of all fields in order, e.g. `streak.rewards[].points` and `jobs.*.name`.
  public var paths: [String] { paths(below: "") }

  private func paths(below path: String) -> [String] {
    switch self {
    case .object(let fields):
      fields.flatMap { field -> [String] in
        let own = path.isEmpty ? field.name : "\(path).\(field.name)"
        return [own] + field.shape.paths(below: own)
      }
    case .list(let element, _): element.paths(below: "\(path)[]")
    case .map(let value): value.paths(below: "\(path).*")
    case .either(let shapes): shapes.flatMap { $0.paths(below: path) }
    case .any, .null, .bool, .text, .word, .integer, .number: []
    }
  }
}
