import CivilTime
import Described
import Failures
import Operations
import StrictJSON

/// Proves that the days of every zone tile time.
struct ZonesProveCommand: Command {
  static let spec = CommandSpec(
    "zones prove", "prove for every zone: each date closed once, each instant in exactly one day",
    shards: .none,
    details: """
      Walks through every date of these years in every zone of the time zone database and,
      with --changes N, through a year each of N users per zone who change zones at random.
      It needs no configuration. Exits 1 if anything is wrong.
      """,
    options: [
      .init("from", "YEAR", help: "the first year (default: 1970)"),
      .init("to", "YEAR", help: "the last year (default: 2037)"),
      .init("zone", "ZONE", repeats: true, help: "only this zone"),
      .init(
        "changes", "N", help: "simulate this many users per zone who change zones (default: 0)"),
    ],
    examples: [
      .init("rewards zones prove", "all zones, 1970 to 2037"),
      .init("rewards zones prove --from 2020 --to 2030 --changes 10", "with changes of zone"),
    ])

  private static let output = JSONMembers<(results: [ZoneProof.Result], tzdata: String)> {
    $0.add("passed") { $0.results.allSatisfy(\.findings.isEmpty) }
    $0.add("zones", \.results.count)
    $0.add("days") { sum($0.results, \.days) }
    $0.add("skippedDates") { sum($0.results, \.skipped) }
    $0.add("instants") { sum($0.results, \.instants) }
    $0.add("userDays") { sum($0.results, \.userDays) }
    $0.add("findings") { $0.results.flatMap(\.findings) }
    $0.add("tzdata", \.tzdata)
  }

  static var outputs: [JSONShape] { [output.shape] }

  static func run(
    _ arguments: ParsedArguments, in context: CommandContext
  ) async throws -> ExitCode {
    func number(_ option: String, _ preset: Int, _ range: ClosedRange<Int>) throws -> Int {
      try arguments.value(option).map {
        try NumberArgument.parse($0, place: "--\(option)", in: range)
      }
        ?? preset
    }
    let from = try number("from", 1970, 2...9998)
    let to = try number("to", 2037, 2...9998)
    guard from <= to else {
      throw Failure(.usage, "--from \(from) is later than --to \(to)")
    }
    let wanted = arguments.values("zone")
    let names = wanted.isEmpty ? context.environment.zoneNames() : wanted
    let bar = context.progress("zones", total: names.count)
    let results = try await ZoneProofs(zones: context.zones, years: from...to).run(
      names, changes: try number("changes", 0, 0...10_000)
    ) { bar.update(done: $0) }
    bar.finish()
    let findings = results.flatMap(\.findings)
    context.report((results, context.zones.version), as: output) {
      findings.map { "\($0)\n" }.joined()
        + "\(findings.isEmpty ? "proved" : "NOT proved") for \(results.count) zones, \(from) to \(to): "
        + "\(sum(results, \.days)) days, \(sum(results, \.skipped)) skipped dates, "
        + "\(sum(results, \.instants)) instants, \(sum(results, \.userDays)) days of users who move; "
        + "tzdata \(context.zones.version)\n"
    }
    return findings.isEmpty ? .done : .attention
  }

  private static func sum(
    _ results: [ZoneProof.Result], _ path: KeyPath<ZoneProof.Result, Int>
  ) -> Int {
    results.reduce(0) { $0 + $1[keyPath: path] }
  }
}
