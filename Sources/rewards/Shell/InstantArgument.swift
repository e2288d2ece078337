import CivilTime

/// Reads instants that an operator writes.
enum InstantArgument {
  /// The instant that `text` names; throws ``ExitCode/badData`` with the place when it names none.
  static func parse(
    _ text: String, place: String, naiveZone: Zone? = nil
  ) throws(CommandFailure) -> ParsedInstant {
    do throws(InstantTextError) {
      return try InstantText.parse(text, naiveZone: naiveZone)
    } catch {
      throw CommandFailure(.badData, "\(error)", place: place)
    }
  }
}
