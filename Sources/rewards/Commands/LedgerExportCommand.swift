import CivilTime
import Configuration
import Failures
import Ledger
import LedgerStore
import Operations

/// Prints parts of the ledger.
struct LedgerExportCommand: Command {
  static let spec = CommandSpec(
    "ledger export", "print the records that meet every condition, as JSON lines or CSV",
    isPaged: true,
    details: """
      Prints records exactly as they are in the ledger, in its order, without seals. --from
      and --to are local days: records without a day are left out. --since and --until are
      instants of recording; a day stands for its start in --since and its end in --until.
      --sealed prints every line of the ledger, seals included, so that a file of them can
      be verified on its own. Only it prints lines that rewards doctor --undo-future has
      taken back. In CSV, lists and objects keep their JSON text. --format json changes
      nothing.
      """,
    options: [
      .init("user", "USER", repeats: true, help: "records that name this user"),
      .init(
        "type", "TYPE", repeats: true,
        help: "records of this type, such as grant or evidence; separate several with commas"),
      .init(
        "manual",
        help:
          "what people did: acts, gifts, credits, openings, rules; with --user also the user's grants and activities behind which an act stands"
      ),
      .init("since", "INSTANT", help: "records made at or after this instant or day"),
      .init("until", "INSTANT", help: "records made before this instant, or through this day"),
    ]
      + RangeOptions.days(
        first: "records about this local day or a later one",
        last: "records about this local day or an earlier one") + [
        .init("csv", help: "print a table with column names; needs exactly one --type"),
        .init("sealed", help: "print every line as it was sealed; excludes all conditions"),
      ],
    examples: [
      .init("rewards ledger export --user 4711", "everything recorded about one user"),
      .init(
        "rewards ledger export --type grant --month 2026-11 --csv",
        "a month of grants for a spreadsheet"),
      .init(
        "rewards ledger export --type operator,reversal,grant,excuse,credit --manual",
        "who did what by hand, and why"),
      .init(
        "rewards ledger export --sealed > 00000000000000000001.jsonl",
        "the whole ledger in one segment"),
    ])

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    let output = context.environment.output
    let write: @Sendable ([UInt8]) -> Bool = { bytes in
      output.write(bytes)
      return !output.isBroken
    }
    if arguments.has("sealed") {
      let conditions = ["user", "type", "manual", "since", "until", "from", "to", "csv"]
      if let condition = conditions.first(where: arguments.has) {
        throw Failure(
          .usage, "--sealed prints every line: it excludes --\(condition)"
        )
      }
      let directory = try context.configuration().directory
      try await LedgerExport.sealed(LedgerReading.open(directory), write: write)
      return .done
    }
    let selection = try selection(arguments)
    let format = try format(arguments, selection)
    let directory = try context.configuration().directory
    try await LedgerExport.slice(
      LedgerReading.open(directory), selection, as: format, write: write)
    return .done
  }

  /// The types of records that people's acts make.
  private static let byHand: Set<RecordType> = [
    .operator, .user, .rules, .evidence, .grant, .reversal, .credit, .excuse,
  ]

  private static func selection(
    _ arguments: ParsedArguments
  ) throws(Failure) -> LineSelection {
    var selection = LineSelection()
    selection.users = Set(arguments.values("user"))
    selection.types = try RecordTypeArgument.parse(arguments)
    selection.onlyManual = arguments.has("manual")
    if selection.onlyManual, selection.types.isEmpty { selection.types = byHand }
    (selection.since, selection.until) = try InstantArgument.range(
      arguments, from: "since", to: "until")
    selection.days = try DayArgument.range(arguments)
    return selection
  }

  private static func format(
    _ arguments: ParsedArguments, _ selection: LineSelection
  ) throws(Failure) -> LedgerSlices.Format {
    guard arguments.has("csv") else { return .lines }
    guard selection.types.count == 1, let type = selection.types.first else {
      throw Failure(
        .usage, "each type of record has its own columns", place: "--csv",
        remedy: "Pass exactly one --type.")
    }
    return .csv(type)
  }
}

/// Parses record types named by an operator.
enum RecordTypeArgument {
  /// Returns the values of `--type`; throws ``ExitCode/usage`` when one is not a type.
  static func parse(_ arguments: ParsedArguments) throws(Failure) -> Set<RecordType> {
    var types: Set<RecordType> = []
    let names = arguments.values("type").flatMap { $0.split(separator: ",").map(String.init) }
    for name in names {
      guard let type = RecordType(rawValue: name) else {
        let known = RecordType.allCases.map(\.rawValue).joined(separator: ", ")
        throw Failure(
          .usage, "\"\(name)\" is not a type of record", place: "--type", remedy: "One of \(known)."
        )
      }
      types.insert(type)
    }
    return types
  }
}
