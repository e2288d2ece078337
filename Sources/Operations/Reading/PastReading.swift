import Ledger
import LedgerStore
import Scheduling

/// Reads the whole past of users, some thousands at a time: memory does not grow with their number, readings of the
/// ledger do.
struct PastReading {
  private static let usersAtOnce = 5_000

  let reader: LedgerReader
  let configuration: Configuration
  let surroundings: WorkplaceSurroundings

  /// Calls `body` with the past of each of these users that the ledger knows, and with how days are judged. Blocks.
  ///
  /// Nobody is read before the first rules are in the ledger.
  func each(
    of users: some Collection<String>, _ body: (UserPast, JudgeContext) -> Void
  ) throws {
    var rest = users[...]
    while !rest.isEmpty {
      let some = Set(rest.prefix(Self.usersAtOnce))
      rest = rest.dropFirst(Self.usersAtOnce)
      var fold = PastFold(zones: surroundings.zones) { some.contains($0) }
      try reader.readRecords(after: 0) { fold.apply($0) }
      guard let rules = fold.book.rules else { return }
      let context = try JudgeContext(
        configuration, rules: rules, environment: surroundings.environment)
      for past in fold.pasts { body(past, context) }
    }
  }
}
