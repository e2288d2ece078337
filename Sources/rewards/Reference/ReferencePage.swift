/// The reference pages that the program carries: the documentation's own files, under the same names.
enum ReferencePage: String, CaseIterable, Sendable {
  case tutorial = "Tutorial"
  case operations = "Operations"
  case glossary = "Glossary"
  case commands = "Commands"
  case configuration = "Configuration"
  case rules = "Rules"
  case jobs = "Jobs"
  case inbox = "Inbox-and-roster"
  case data = "Data-folder"
  case records = "Ledger-records"
  case events = "Events"
  case relay = "Relay"
  case metrics = "Metrics"
  case output = "Output-and-exit-codes"
  case http = "HTTP"
  case changelog = "Changelog"

  /// Creates the page that `rewards help WORD` shows.
  init?(named word: String) {
    guard let page = Self.allCases.first(where: { $0.names.contains(word) }) else { return nil }
    self = page
  }

  /// The names by which `rewards help` finds it, its own first.
  var names: [String] {
    switch self {
    case .operations: ["operations"]
    case .tutorial: ["tutorial"]
    case .glossary: ["glossary", "terms"]
    case .commands: ["commands"]
    case .configuration: ["configuration", "config"]
    case .rules: ["rules"]
    case .jobs: ["jobs"]
    case .inbox: ["inbox", "roster"]
    case .data: ["data-folder", "data"]
    case .records: ["records", "ledger"]
    case .events: ["events"]
    case .relay: ["relay"]
    case .metrics: ["metrics"]
    case .output: ["output", "exit-codes"]
    case .http: ["http"]
    case .changelog: ["changelog"]
    }
  }

  /// The page's own name.
  var name: String { names[0] }

  /// The parsed page.
  var page: Markdown { Markdown(text) }

  /// The page's text in the documentation.
  var text: String {
    switch self {
    case .operations: Self.text(PackageResources.Operations_md)
    case .tutorial: Self.text(PackageResources.Tutorial_md)
    case .glossary: Self.text(PackageResources.Glossary_md)
    case .commands: CommandsPage.text
    case .configuration: Self.text(PackageResources.Configuration_md)
    case .rules: Self.text(PackageResources.Rules_md)
    case .jobs: Self.text(PackageResources.Jobs_md)
    case .inbox: Self.text(PackageResources.Inbox_and_roster_md)
    case .data: Self.text(PackageResources.Data_folder_md)
    case .records: Self.text(PackageResources.Ledger_records_md)
    case .events: Self.text(PackageResources.Events_md)
    case .relay: Self.text(PackageResources.Relay_md)
    case .metrics: Self.text(PackageResources.Metrics_md)
    case .output: Self.text(PackageResources.Output_and_exit_codes_md)
    case .http: Self.text(PackageResources.HTTP_md)
    case .changelog: Self.text(PackageResources.Changelog_md)
    }
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
