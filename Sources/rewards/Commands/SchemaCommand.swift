import Described
import Failures
import StrictJSON

/// Prints JSON Schemas.
struct SchemaCommand: Command {
  static let spec = CommandSpec(
    "schema", "print the JSON Schema of a document, a line, an event or an answer",
    shards: .none, isPaged: true,
    details: """
      Without NAME: lists the names. What the program reads: configuration, rules, job,
      roster, credentials, inbox, balances. What it writes: records, events, error, and each
      command's output with --format json, such as ledger-verify. Output may get more fields;
      none is removed.
      """,
    arguments: [
      .init("NAME", isOptional: true, values: "NAME of a schema", help: "the schema's name")
    ],
    examples: [
      .init("rewards schema", "the names"),
      .init("rewards schema configuration > rewards.schema.json", "for an editor"),
      .init("rewards schema ledger-verify", "what rewards ledger verify --format json prints"),
    ])

  private static let output = JSONMembers<[String]> {
    $0.add("names") { $0 }
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let names = SchemaCatalogue.entries.map(\.name)
    guard let name = arguments.argument(0) else {
      context.report(names, as: output) {
        names.map { "\($0)\n" }.joined()
      }
      return .done
    }
    guard let entry = SchemaCatalogue.entry(name) else {
      throw Failure(
        .usage, "there is no schema \"\(name)\"\(NearestName.hint(for: name, among: names))",
        remedy: "Run rewards schema for a list.")
    }
    context.environment.output.write(
      entry.shape.schema(
        id: "urn:cheer-supports:schema:\(name)", title: entry.title, entry.unknownMembers))
    return .done
  }
}
