/// Reads whole numbers that an operator writes.
enum NumberArgument {
  /// The number that `text` names; throws ``ExitCode/usage`` with the place when it is none or outside `range`.
  static func parse(
    _ text: String, place: String, in range: ClosedRange<Int>
  ) throws(CommandFailure) -> Int {
    if let number = Int(text), range.contains(number) { return number }
    throw CommandFailure(
      .usage, "\"\(text)\" is no whole number from \(range.lowerBound) to \(range.upperBound)",
      place: place)
  }
}
