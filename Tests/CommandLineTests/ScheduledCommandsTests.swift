import Operations
import TestSupport
import Testing

@testable import rewards

/// What a job's command line means does not depend on the order of its words.
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

  /// A job may run what is listed, on files that there are.
  @Test(arguments: [
    (["reconcile"], nil), (["grant", "u", "--points", "1", "--reason", "-"], nil),
    (["ingest", "-"], "it has no standard input"),
    (["backfill", "--apply", "-"], "it has no standard input"),
    (["users", "import", "-"], "it has no standard input"),
    (["serve"], "rewards serve is nothing for a job"),
    (["ledger", "restore", "x"], "rewards ledger restore is nothing for a job"),
    (["store", "migrate"], "rewards store migrate is nothing for a job"),
    (["audit", "--data", "x"], "--data is the service's own"),
    (["audit", "--help"], "it only shows help"),
    (["ledger", "stats"], nil), (["users", "find", "4"], nil), (["blast", "--user", "4"], nil),
  ])
  func mayBeRunByAJob(words: [String], objection: String?) {
    #expect(ScheduledCommands.objection(to: words) == objection)
  }
}
