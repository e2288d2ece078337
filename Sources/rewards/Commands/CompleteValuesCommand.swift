import Configuration
import Failures
import Foundations
import Operations
import Scheduling

/// Prints the values that a shell may offer for a word. Completion scripts run it; it prints nothing when anything is wrong.
struct CompleteValuesCommand: Command {
  /// What a value names.
  enum Kind: String, CaseIterable, Sendable {
    case job, sink, user, zone

    /// Finds the kind by the name of an option's value or an argument.
    init?(named name: String) {
      switch name {
      case "JOB": self = .job
      case "SINK": self = .sink
      case "USER": self = .user
      case "ZONE": self = .zone
      default: return nil
      }
    }
  }

  /// The most values that are printed.
  private static let most = 200
  /// The size beyond which a roster is not read for this.
  private static let rosterLimitBytes = 64 << 20

  static let spec = CommandSpec(
    "complete-values", "print the values that a shell may offer for a word", shards: .none,
    arguments: [
      .init("KIND", help: "job, sink, user or zone"),
      .init("PREFIX", isOptional: true, help: "the beginning of the word"),
    ],
    examples: [])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let prefix = arguments.argument(1) ?? ""
    let kind = Kind(rawValue: arguments.arguments[0])
    let values = try? kind.map { try Self.values($0, prefix, in: context) }
    for value in (values ?? []).lazy.filter({ $0.hasPrefix(prefix) }).prefix(most) {
      context.environment.output.write("\(value)\n")
    }
    return .done
  }

  private static func values(
    _ kind: Kind, _ prefix: String, in context: CommandContext
  ) throws -> [String] {
    switch kind {
    case .job: try JobFolder.all(context.configuration(), zones: context.zones).map(\.name)
    case .sink: try context.configuration().relay.map(\.name)
    case .zone: context.environment.zoneNames()
    case .user: try users(prefix, in: context.configuration())
    }
  }

  /// Returns the users of the roster whose ids begin with `prefix`, up to the most that are printed.
  private static func users(
    _ prefix: String, in configuration: Configuration
  ) throws(ReadError) -> [String] {
    let text = try configuration.files.readInput(configuration.users, limitBytes: rosterLimitBytes)
    var found: [String] = []
    for line in text.split(separator: UInt8(ascii: "\n")) where found.count < most {
      guard mayName(line, prefix) else { continue }
      found += RosterFile(Array(line)).entries.map(\.entry.user).filter { $0.hasPrefix(prefix) }
    }
    return found
  }

  /// Returns whether a member `user` of a line may have a value that begins with `prefix`: a roster is too long to parse every line.
  private static func mayName(_ line: ArraySlice<UInt8>, _ prefix: String) -> Bool {
    var rest = line
    while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
      rest = rest[(quote + 1)...]
      guard rest.starts(with: "user\"".utf8) else { continue }
      let value = rest.dropFirst("user\"".utf8.count).drop { between.contains($0) }
      if value.starts(with: prefix.utf8) { return true }
    }
    return false
  }

  /// What may stand between a member's name and the text of its value.
  private static let between = Array(" \t:\"".utf8)
}
