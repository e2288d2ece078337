/// One command of the program.
protocol Command: Sendable {
  /// Its name, arguments and help.
  static var spec: CommandSpec { get }
  /// Does the work and prints the result; throws ``CommandFailure`` or an error that it knows to describe.
  static func run(_ arguments: ParsedArguments, in context: CommandContext) async throws -> ExitCode
}
