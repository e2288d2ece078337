import CivilTime
import Failures
import Operations

/// The options by which a command closes days of several ledgers in two rounds: in the first each looks and counts, in the second each
/// closes what all have counted.
enum CountedArgument {
  static let flag = CommandOption(
    "counted", help: "of several shards: close only what all have counted, and look at nobody")
  static let since = CommandOption(
    "counted-since", "INSTANT", help: "of several shards: take no count from before this")

  /// What a command line that begins at `instant` has in the first round, and in the second.
  static func round(_ number: Int, from instant: Instant) -> [(option: String, value: String?)] {
    [("counted-since", "\(instant)")] + (number == 2 ? [("counted", nil)] : [])
  }

  /// Whether the command line says nothing of rounds.
  static func isLeftOut(_ arguments: ParsedArguments) -> Bool {
    !arguments.has("counted") && !arguments.has("counted-since")
  }

  /// Whether another round follows.
  static func hasSecondRound(_ arguments: ParsedArguments) -> Bool {
    arguments.has("counted-since") && !arguments.has("counted")
  }

  /// From when on counts are taken; nil where it is not said. Throws where there is nobody to count for.
  static func parse(
    _ arguments: ParsedArguments, at runtime: Runtime
  ) throws -> Instant? {
    if isLeftOut(arguments) { return nil }
    guard runtime.environment.sharedCloses != nil else {
      throw Failure(
        .usage, "there are no other shards to count for", place: "--counted",
        remedy: "Leave it out.")
    }
    guard let text = arguments.value("counted-since") else {
      throw Failure(.usage, "--counted needs --counted-since INSTANT")
    }
    return try InstantArgument.parse(text, place: "--counted-since").instant
  }
}
