import Configuration
import Ledger
import StrictJSON

/// Every JSON document and line that the program reads or writes, with its shape.
///
/// Configuration and records tell their shapes themselves; the others are written once, on the reference pages, and the tests hold
/// the program against them.
enum SchemaCatalogue {
  /// A document or line.
  struct Entry {
    let name: String
    let title: String
    let strangers: JSONShape.Strangers
    let shape: JSONShape
  }

  /// What is read, by name, and the page that writes its shape.
  private static let inputs:
    [(name: String, title: String, page: ReferencePage, strangers: JSONShape.Strangers)] = [
      ("rules", "A rules document", .rules, .refused),
      ("job", "A job file", .jobs, .refused),
      ("roster", "A line of the roster", .inbox, .refused),
      ("inbox", "A line of the inbox", .inbox, .passedOver),
      ("balances", "A line of the file that audit --balances reads", .output, .refused),
    ]

  /// All names, those of outputs last.
  static var names: [String] {
    ["configuration"] + inputs.map(\.name) + ["records", "events", "error"] + outputs
  }

  /// The commands whose JSON output is described, their words joined by dashes.
  static var outputs: [String] {
    ReferencePage.output.page.fences("shape").flatMap(\.names)
      .filter { !["error", "balances"].contains($0) }
  }

  /// The entry of a name; nil when there is none.
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

  /// The shape that a page writes behind a fence `shape NAME…`.
  private static func shape(
    _ name: String, on page: ReferencePage
  ) throws(ShapeNotation.Problem) -> JSONShape? {
    for fence in page.page.fences("shape") where fence.names.contains(name) {
      return try ShapeNotation.parse(fence.text)
    }
    return nil
  }

  /// What each key means, by the page's first column.
  private static func configurationHelp() -> [String: String] {
    var help: [String: String] = [:]
    for row in ConfigurationPage.rows { help[row.key] = MarkdownText.plain(row.meaning) }
    return help
  }
}

/// The table of keys on the page about the configuration.
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

  /// How the page names the key at a path: sinks have names of their own there.
  static func name(of path: String) -> String {
    let parts = path.split(separator: ".")
    guard parts.first == "relay", parts.count > 2 else { return path }
    return "relay.NAME.\(parts.dropFirst(2).joined(separator: "."))"
  }
}

/// The shapes of events: the frame of each, and what its type carries.
enum EventShapes {
  private static let prefix = "com.cheer-supports."

  /// The types that the page tells of, without what all have in common, with their data.
  static func types() throws(ShapeNotation.Problem) -> [(type: String, data: JSONShape)] {
    var types: [(type: String, data: JSONShape)] = []
    for fence in ReferencePage.events.page.fences("shape") {
      let data = try ShapeNotation.parse(fence.text)
      for type in fence.names { types.append((type, data)) }
    }
    return types
  }

  /// Any event.
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
