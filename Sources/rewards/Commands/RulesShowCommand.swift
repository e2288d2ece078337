import CivilTime
import Configuration
import Described
import Digests
import Failures
import Ledger
import LedgerStore
import Operations
import RewardRules
import Scheduling
import StrictJSON

/// Shows the configured rules, and which of them judge today.
struct RulesShowCommand: Command {
  static let spec = CommandSpec(
    "rules show", "list the rules that are loaded or in the ledger, and those in force today",
    isPaged: true,
    details: """
      What the ledger holds stays in force whatever the configuration says; other rules may
      correct it (rewards help rules). Loaded documents that the ledger does not hold yet
      come into force with the next command that writes.
      """,
    options: [.init("day", "DAY", help: "show which are in force on this date (default: today)")],
    examples: [
      .init("rewards rules show", "versions, dates and files"),
      .init("rewards rules show --day 2026-12-24 --format json", "with the documents themselves"),
    ])

  private static let output = JSONMembers<
    (
      day: Day, inForce: RulesDocument?, rules: [Known]
    )
  > {
    $0.add("day", \.day)
    $0.add("inForce", \.inForce?.version)
    $0.list("rules", \.rules) {
      $0.add("version", \.document.version)
      $0.add("effectiveFrom", \.document.effectiveFrom)
      $0.add("corrects", \.document.corrects)
      $0.add("sha256", \.document.sha256)
      $0.add("file", \.file)
      $0.add("inLedger", \.isInLedger)
      $0.add("document") { JSONText(text: $0.document.canonicalText) }
    }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let configuration = try context.configuration()
    let loaded = try await rules(configuration)
    let book = try RuleBook(
      loaded.map(\.document), isComplete: !loaded.contains(where: \.isInLedger))
    let zone = try context.zones.zone(named: configuration.defaultTimeZone)
    let day =
      try arguments.value("day").map { try DayArgument.parse($0, place: "--day") }
      ?? zone.window(containing: context.present).day
    let inForce = book.rules(on: day)
    context.report((day, inForce, loaded), as: output) {
      text(loaded, day: day, inForce: inForce, context.style)
    }
    return inForce == nil ? .attention : .done
  }

  /// A document, and where it was found.
  private struct Known {
    let document: RulesDocument
    /// The file that holds it; nil for the built-in rules, and where only the ledger has it.
    let file: String?
    let isLoaded: Bool
    let isInLedger: Bool

    /// The label of a document that is in force by its date.
    var force: String { isInLedger ? "in force" : "in force once loaded" }

    var place: String {
      guard isLoaded else { return "(only in the ledger)" }
      return (file ?? "(built in)") + (isInLedger ? "" : ", not in the ledger yet")
    }
  }

  /// Returns the ledger's documents, then any others that are loaded. Includes the built-in rules only when nothing else is in use.
  private static func rules(_ configuration: Configuration) async throws -> [Known] {
    let loaded = try RulesFiles.load(configuration)
    let state = try await StateReading.read(
      LedgerReading.openIfThere(configuration.directory))
    let texts = Set(state.ruleTexts.map(\.text))
    let kept = state.rules.documents.map { document in
      let file = loaded.first { $0.document.canonicalText == document.canonicalText }
      return Known(
        document: document, file: file?.file, isLoaded: file != nil, isInLedger: true)
    }
    let fresh = loaded.filter {
      !texts.contains($0.document.canonicalText) && (texts.isEmpty || !$0.document.isBuiltIn)
    }
    return kept
      + fresh.map {
        Known(document: $0.document, file: $0.file, isLoaded: true, isInLedger: false)
      }
  }

  private static func text(
    _ loaded: [Known], day: Day, inForce: RulesDocument?, _ style: TextStyle
  ) -> String {
    var table = TextTable(["VERSION", "FROM", "CORRECTS", "ON \(day)", "FILE"])
    for rules in loaded {
      let document = rules.document
      table.add([
        document.version, document.effectiveFrom.description, document.corrects ?? "-",
        document.version == inForce?.version ? rules.force : "-", rules.place,
      ])
    }
    return table.text(style)
  }
}
