import Operations
import TestSupport
import Testing

@testable import rewards

/// What a job's command line means does not hang on the order of its words.
@Suite(.offThePool) struct ScheduledCommandsTests {
  @Test(arguments: [
    (
      ["reconcile", "--prove", "--day", "yesterday"],
      ["reconcile", "--day", "yesterday", "--prove"]
    ),
    (["reconcile", "--day=yesterday"], ["reconcile", "--day", "yesterday"]),
    (["audit", "--since=last"], ["audit", "--since", "last"]),
    (
      ["ledger", "export", "--type", "grant", "--csv"],
      ["ledger", "export", "--csv", "--type", "grant"]
    ),
    (["explain", "--", "-a", "2026-11-20"], ["explain", "--", "-a", "2026-11-20"]),
    (["no", "such", "--thing"], ["no", "such", "--thing"]),
  ])
  func optionsStandInTheOrderOfTheirNames(words: [String], normalized: [String]) {
    #expect(ScheduledCommands.normalized(words) == normalized)
    #expect(ScheduledCommands.normalized(normalized) == normalized)
  }
}
