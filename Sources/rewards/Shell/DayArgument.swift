import CivilTime

/// Reads dates that an operator writes.
enum DayArgument {
  /// The date that `text` names; throws ``ExitCode/badData`` with the place when it names none.
  static func parse(_ text: String, place: String) throws(CommandFailure) -> Day {
    if let day = Day(text) { return day }
    throw CommandFailure(
      .badData, "\"\(text)\" is no date; write it as 2026-11-20", place: place)
  }
}
