/// Reads the reasons that an operator gives for the record.
enum ReasonArgument {
  /// More fits no line of the ledger with other texts.
  private static let limitBytes = 4_096

  /// The value of `--reason`; throws ``ExitCode/usage`` when it says nothing or too much.
  static func parse(_ arguments: ParsedArguments) throws(CommandFailure) -> String {
    let reason = arguments.required("reason")
    guard reason.contains(where: { !$0.isWhitespace }) else {
      throw CommandFailure(.usage, "a reason must say something", place: "--reason")
    }
    guard reason.utf8.count <= limitBytes else {
      throw CommandFailure(.usage, "a reason has at most \(limitBytes) bytes", place: "--reason")
    }
    return reason
  }
}
