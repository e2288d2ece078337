import Configuration
import Ledger
import StrictJSON

/// The shape of every JSON document and line that the program reads or writes.
///
/// Configuration and records define their own shapes. The others are written once, on the reference pages, and the tests check the program
/// against them.
enum SchemaCatalogue {
  /// A document or line.
  struct Entry {
    let name: String
    let title: String
    let strangers: JSONShape.Strangers
    let shape: JSONShape
  }

  /// The inputs by name, each with the page that gives its shape.
  private static let inputs:
    [(name: String, title: String, page: ReferencePage, strangers: JSONShape.Strangers)] = [
      ("rules", "A rules document", .rules, .refused),
      ("job", "A job file", .jobs, .refused),
      ("roster", "A line of the roster", .inbox, .refused),
      ("inbox", "A line of the inbox", .inbox, .passedOver),
      ("balances", "A line of the file that audit --balances reads", .output, .refused),
    ]

  /// All names, with outputs last.
  static var names: [String] {
    ["configuration"] + inputs.map(\.name) + ["records", "events", "error"] + outputs
  }

  /// The commands with a described JSON output, their words joined by dashes.
  static var outputs: [String] {
    ReferencePage.output.page.fences("shape").flatMap(\.names)
      .filter { !["error", "balances"].contains($0) }
  }

  /// Returns the entry with a name; nil when there is none.
  static func entry(_ name: String) throws(ShapeNotation.Problem) -> Entry? {
    switch name {
    case "configuration":
      let help = configurationHelp()
      return Entry(
        name: name, title: "The configuration, rewards.json", strangers: .refused,
        shape: Configuration.shape { help[ConfigurationPage.name(of: $0)] ?? "" })
    case "records":
      return Entry(
        name: name, title: "A line of the ledger", strangers: .passedOver,
        shape: .either(RecordType.allCases.map(\.shape)))
    case "events":
      return Entry(
        name: name, title: "An event, as sinks get it", strangers: .passedOver,
        shape: try EventShapes.all())
    default:
      if let input = inputs.first(where: { $0.name == name }) {
        guard let shape = try shape(name, on: input.page) else { return nil }
        return Entry(name: name, title: input.title, strangers: input.strangers, shape: shape)
      }
      guard let shape = try shape(name, on: .output) else { return nil }
      let title =
        name == "error"
        ? "An error on standard error, a line each"
        : "What rewards \(name.replacing("-", with: " ")) --format json prints"
      return Entry(name: name, title: title, strangers: .passedOver, shape: shape)
    }
  }

  /// Returns the shape that a page gives in a fence `shape NAME…`.
  private static func shape(
    _ name: String, on page: ReferencePage
  ) throws(ShapeNotation.Problem) -> JSONShape? {
    for fence in page.page.fences("shape") where fence.names.contains(name) {
      return try ShapeNotation.parse(fence.text)
    }
    return nil
  }

  /// Returns the meaning of each key, found by the page's first column.
  private static func configurationHelp() -> [String: String] {
    var help: [String: String] = [:]
    for row in ConfigurationPage.rows { help[row.key] = MarkdownText.plain(row.meaning) }
    return help
  }
}

/// The table of keys on the configuration page.
enum ConfigurationPage {
  /// The rows, in their order.
  static var rows: [(key: String, meaning: String, preset: String)] {
    ReferencePage.configuration.page.rows(under: "key").map { cells in
      (
        Markdown.codeSpans(in: cells[0]).first ?? cells[0], cells[1],
        Markdown.codeSpans(in: cells[2]).first ?? ""
      )
    }
  }

  /// Returns the page's name for the key at a path; sinks have names of their own there.
  static func name(of path: String) -> String {
    let parts = path.split(separator: ".")
    guard parts.first == "relay", parts.count > 2 else { return path }
    return "relay.NAME.\(parts.dropFirst(2).joined(separator: "."))"
  }
}

/// The shapes of events: their common frame, and the data of each type.
enum EventShapes {
  private static let prefix = "com.cheer-supports."

  /// Returns the types that the page describes with their data, without the common members.
  static func types() throws(ShapeNotation.Problem) -> [(type: String, data: JSONShape)] {
    var types: [(type: String, data: JSONShape)] = []
    for fence in ReferencePage.events.page.fences("shape") {
      let data = try ShapeNotation.parse(fence.text)
      for type in fence.names { types.append((type, data)) }
    }
    return types
  }

  /// Returns the shape of any event.
  static func all() throws(ShapeNotation.Problem) -> JSONShape {
    .either(
      try types().map { (type, data) throws(ShapeNotation.Problem) in
        .object([
          .init("specversion", .word("1.0")),
          .init("id", .text(.text), help: "the same on every attempt"),
          .init("source", .text(.text), help: "the ledger's id as a URN"),
          .init("type", .word("\(prefix)\(type).v1")),
          .init("subject", .text(.text), isOptional: true, help: "the user"),
          .init("time", .text(.instant), help: "when the record was made"),
          .init("datacontenttype", .word("application/json")),
          .init("dataschema", .text(.text)),
          .init("ledgerhead", .text(.text), isOptional: true, help: "SEQ:HASH, on closes"),
          .init("data", data),
        ])
      })
  }
}
