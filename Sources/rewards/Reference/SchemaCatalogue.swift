import CheerAPI
import Configuration
import Described
import Failures
import Ledger
import NotificationRelay
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// The shape of every JSON document and line that the program reads or writes, as what reads or writes it describes it.
enum SchemaCatalogue {
  /// A document or line.
  struct Entry {
    let name: String
    let title: String
    let unknownMembers: JSONShape.UnknownMembers
    let shape: JSONShape
  }

  /// All entries, with outputs last.
  static let entries: [Entry] = {
    let help = configurationHelp()
    return [
      Entry(
        name: "configuration", title: "The configuration, rewards.json", unknownMembers: .refused,
        shape: Configuration.shape { help[ConfigurationPage.name(of: $0)] ?? "" }),
      Entry(
        name: "rules", title: "A rules document", unknownMembers: .refused,
        shape: RulesDocument.shape),
      Entry(name: "job", title: "A job file", unknownMembers: .refused, shape: JobFile.shape),
      Entry(
        name: "roster", title: "A line of the roster", unknownMembers: .refused,
        shape: RosterFile.shape),
      Entry(
        name: "credentials", title: "A line of the file that api.credentials names",
        unknownMembers: .refused, shape: CredentialFile.shape),
      Entry(
        name: "inbox", title: "A line of the inbox", unknownMembers: .passedOver,
        shape: InboxParser.shape),
      Entry(
        name: "balances", title: "A line of the file that audit --balances reads",
        unknownMembers: .refused, shape: OutsideBalance.shape),
      Entry(
        name: "records", title: "A line of the ledger", unknownMembers: .passedOver,
        shape: .either(RecordType.allCases.map(\.shape))),
      Entry(
        name: "events", title: "An event, as sinks get it", unknownMembers: .passedOver,
        shape: EventShapes.all),
      Entry(
        name: "error", title: "An error on standard error, a line each",
        unknownMembers: .passedOver,
        shape: Failure.output.shape),
    ] + outputs
  }()

  /// The commands' JSON outputs, named after the commands, their words joined by dashes.
  static let outputs: [Entry] = CommandList.all.compactMap { output(of: $0, named: $0.spec.name) }

  private static func output(of command: any Command.Type, named name: String) -> Entry? {
    let shapes = command.outputs
    guard let first = shapes.first else { return nil }
    return Entry(
      name: name.replacing(" ", with: "-"), title: "What rewards \(name) --format json prints",
      unknownMembers: .passedOver, shape: shapes.count == 1 ? first : .either(shapes))
  }

  /// The outputs of former commands, which no list shows.
  private static let former: [Entry] = CommandList.former.compactMap {
    output(of: $0.command, named: $0.name)
  }

  /// Returns the entry with a name; nil when there is none.
  static func entry(_ name: String) -> Entry? {
    (entries + former).first { $0.name == name }
  }

  /// Returns the shape that a fence of a reference page shows: of an entry, or of the data of a type of event; nil when it is of
  /// neither.
  static func shape(inFence name: String) -> JSONShape? {
    entry(name)?.shape
      ?? EventShapes.types.first { $0.types.contains { $0.rawValue == name } }?.data
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
