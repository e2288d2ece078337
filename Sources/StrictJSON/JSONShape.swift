/// What a JSON value may be: told once, printed as JSON Schema, and held against what programs read and write.
public indirect enum JSONShape: Sendable, Equatable {
  /// Anything at all.
  case any
  case null
  case bool
  case text(Format)
  /// One text and no other.
  case word(String)
  /// A whole number, of 64 bits where nothing narrower is said.
  case integer(ClosedRange<Int64>?)
  /// A number that may have a fraction.
  case number
  /// So many elements of one shape.
  case list(JSONShape, count: ClosedRange<Int>?)
  /// An object whose names are free and whose values are alike.
  case map(JSONShape)
  case object([Field])
  /// One of several.
  case either([JSONShape])

  /// What a text says.
  public enum Format: String, Sendable, CaseIterable {
    /// Whatever it says.
    case text
    /// RFC 3339 in UTC, as `2026-11-20T08:00:00Z`.
    case instant
    /// A date, as `2026-11-20`.
    case day
    /// SHA-256 in 64 hexadecimal digits.
    case hash
  }

  /// A named part of an object.
  public struct Field: Sendable, Equatable {
    /// Its name.
    public let name: String
    /// What stands under it.
    public let shape: JSONShape
    /// Whether it may be left out.
    public let isOptional: Bool
    /// What it means, in a few words; empty where the name says it.
    public let help: String

    /// Creates a part of an object.
    public init(_ name: String, _ shape: JSONShape, isOptional: Bool = false, help: String = "") {
      self.name = name
      self.shape = shape
      self.isOptional = isOptional
      self.help = help
    }
  }

  /// The same, or null.
  public var orNull: JSONShape { .either([self, .null]) }

  /// One of these texts.
  public static func words(_ words: some Sequence<String>) -> JSONShape {
    .either(words.map { .word($0) })
  }

  /// The paths of all fields, as `streak.rewards[].points` and `jobs.*.name`, in their order.
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
