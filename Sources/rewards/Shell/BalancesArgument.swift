import Operations

/// Reads files of balances from other systems.
enum BalancesArgument {
  /// The balances in the file that `--balances` names, none without it; throws ``ExitCode/badData`` with the line of a
  /// mistake.
  static func read(
    _ arguments: ParsedArguments, in context: CommandContext
  ) throws -> [OutsideBalance] {
    guard let file = arguments.value("balances") else { return [] }
    let text = try context.input(file)
    do throws(OutsideBalance.Problem) {
      return try OutsideBalance.read(text)
    } catch {
      throw CommandFailure(.badData, error.cause, place: "\(file), line \(error.line)")
    }
  }
}
