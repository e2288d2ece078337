import CivilTime
import Configuration
import Failures
import Ledger
import LedgerDatabase
import LedgerStore
import Operations

/// Parses instants written by an operator.
enum InstantArgument {
  /// Returns the instant in `text`; throws ``ExitCode/badData`` with the place when there is none.
  static func parse(
    _ text: String, place: String, naiveZone: Zone? = nil
  ) throws(Failure) -> ParsedInstant {
    do throws(InstantTextError) {
      return try InstantText.parse(text, naiveZone: naiveZone)
    } catch {
      throw Failure(.badData, "\"\(text)\" is not an instant: \(error)", place: place)
    }
  }

  /// Returns the instants of two options, nil where one is missing. Throws ``ExitCode/usage`` when `from` comes after `to`.
  static func range(
    _ arguments: ParsedArguments, from: String = "from", to: String = "to"
  ) throws(Failure) -> (from: Instant?, to: Instant?) {
    func instant(_ name: String) throws(Failure) -> Instant? {
      guard let text = arguments.value(name) else { return nil }
      return try parse(text, place: "--\(name)").instant
    }
    let (first, last) = (try instant(from), try instant(to))
    if let first, let last, first > last {
      throw Failure(.usage, "--\(from) \(first) is later than --\(to) \(last)")
    }
    return (first, last)
  }
}

/// Parses dates written by an operator.
enum DayArgument {
  /// Returns the days from `--from` to `--to`, open where one is missing; nil when both are.
  static func range(_ arguments: ParsedArguments) throws(Failure) -> ClosedRange<Day>? {
    guard arguments.has("from") || arguments.has("to") else { return nil }
    var first = Day(number: .min)
    var last = Day(number: .max)
    if let text = arguments.value("from") { first = try parse(text, place: "--from") }
    if let text = arguments.value("to") { last = try parse(text, place: "--to") }
    guard first <= last else {
      throw Failure(.usage, "--from \(first) is later than --to \(last)")
    }
    return first...last
  }

  /// Returns the date in `text`; throws ``ExitCode/badData`` with the place when there is none.
  static func parse(_ text: String, place: String) throws(Failure) -> Day {
    if let day = Day(text) { return day }
    throw Failure(
      .badData, "\"\(text)\" is not a date; write it like 2026-11-20, or today or yesterday",
      place: place)
  }
}

/// Parses whole numbers written by an operator.
enum NumberArgument {
  /// Returns the number in `text`; throws ``ExitCode/usage`` with the place when there is none or it is outside `range`.
  static func parse(
    _ text: String, place: String, in range: ClosedRange<Int>
  ) throws(Failure) -> Int {
    if let number = Int(text), range.contains(number) { return number }
    throw Failure(
      .usage, "\"\(text)\" is not a whole number from \(range.lowerBound) to \(range.upperBound)",
      place: place)
  }
}

/// Reads files of balances from other systems.
enum BalancesArgument {
  /// Returns the balances in the file that `--balances` names, or none without it. Throws ``ExitCode/badData`` with the line of a mistake.
  static func read(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> [OutsideBalance] {
    guard let file = arguments.value("balances") else { return [] }
    return try OutsideBalance.read(lines(file, in: context), of: file).filter {
      context.shardID?.holds($0.user) ?? true
    }
  }

  /// Returns the lines of such a file, which may be a table.
  static func lines(_ file: String, in context: CommandContext) throws -> [UInt8] {
    let text = try context.input(file)
    return BalancesCSV.isOne(text) ? try BalancesCSV.lines(of: text, in: file) : text
  }
}

/// The options that name heads known from elsewhere.
enum HeadArgument {
  /// The options of commands that compare the ledger with known heads.
  static let options = [
    CommandOption(
      "head", "SEQ:HASH", help: "a head noted before, as rewards ledger head prints it"),
    CommandOption(
      "heads", "FILE|URL",
      help: "all heads published before: events of a sink, or lines of SEQ:HASH"),
  ]

  /// Returns the heads of the options and, where the ledger is in a database, the head that the database keeps beside the chain. Call it
  /// before reading the ledger, which may grow meanwhile. Throws ``ExitCode/usage``, or when the database does not answer.
  static func read(
    _ arguments: ParsedArguments, in context: CommandContext, _ configuration: Configuration
  ) async throws -> [LedgerHead] {
    let noted = try noted(arguments) + (await published(arguments, in: context, configuration))
    guard let database = context.database else {
      return noted
    }
    let shard = Int64(configuration.shardID?.number ?? 0)
    return noted
      + (try await database.run { try ShardStatus.head(of: shard, $0) }.map { [$0] } ?? [])
  }

  private static func published(
    _ arguments: ParsedArguments, in context: CommandContext, _ configuration: Configuration
  ) async throws -> [LedgerHead] {
    guard let place = arguments.value("heads") else { return [] }
    let text =
      PublishedHeads.isAddress(place)
      ? try await PublishedHeads.fetch(place, context.runtimeEnvironment("rewards"))
      : try context.input(place)
    let ledger = try await LedgerReading.open(configuration.directory).ledger
    return try PublishedHeads.heads(in: text, of: place, ledger: ledger)
  }

  private static func noted(_ arguments: ParsedArguments) throws -> [LedgerHead] {
    guard let text = arguments.value("head") else { return [] }
    guard let head = LedgerHead(text) else {
      throw Failure(
        .usage, "write SEQ:HASH, as rewards ledger head prints it", place: "--head")
    }
    return [head]
  }
}
