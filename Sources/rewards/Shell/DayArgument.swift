import CivilTime

/// Reads dates that an operator writes.
enum DayArgument {
  /// The days from `--from` to `--to`, open where one is missing; nil when both are.
  static func range(_ arguments: ParsedArguments) throws(CommandFailure) -> ClosedRange<Day>? {
    guard arguments.has("from") || arguments.has("to") else { return nil }
    var first = Day(number: .min)
    var last = Day(number: .max)
    if let text = arguments.value("from") { first = try parse(text, place: "--from") }
    if let text = arguments.value("to") { last = try parse(text, place: "--to") }
    guard first <= last else {
      throw CommandFailure(.usage, "--from \(first) is later than --to \(last)")
    }
    return first...last
  }

  /// The date that `text` names; throws ``ExitCode/badData`` with the place when it names none.
  static func parse(_ text: String, place: String) throws(CommandFailure) -> Day {
    if let day = Day(text) { return day }
    throw CommandFailure(
      .badData, "\"\(text)\" is no date; write it as 2026-11-20", place: place)
  }
}
