import TestSupport
import Testing
import Threading

@testable import rewards

/// Command lines and time zones of several ledgers.
@Suite(.offThePool) struct ShardingTests {
  /// A row of a table may change the ledger, and can reach nothing else of the service's machine.
  @Test(arguments: [
    (["grant", "u", "--points", "1", "--reason", "r"], true),
    (["--shard", "2", "ingest", "-"], true),
    (["reconcile", "--confirm"], true),
    (["backfill", "--apply", "plan.json"], true),
    (["doctor", "--accept-clock"], true),
    (["excuse", "--from", "2026-11-20", "--to", "2026-11-20", "--reason", "r"], true),
    (["excuse", "--propose"], false),
    (["backfill", "--plan", "/etc/plan.json"], false),
    (["backfill", "--apply", "p", "--plan", "q"], false),
    (["run", "-"], false),
    (["audit"], false),
    (["audit", "--data", "postgres://elsewhere/x"], false),
    (["grant", "u", "--points", "1", "--reason", "r", "--data", "/else/where"], false),
    (["grant", "u", "--points", "1", "--reason", "r", "--config", "/tmp/x.json"], false),
    (["grant", "u", "--points", "1", "--reason", "r", "--now", "2030-01-01T00:00:00Z"], false),
    (["ledger", "backup", "/tmp/x"], false), (["serve"], false), (["doctor"], false), ([], false),
    (["no", "such"], false),
  ])
  func requestsOfOtherMachines(_ words: [String], _ isAdmitted: Bool) {
    #expect(RequestedCommands.isAdmitted(words) == isAdmitted)
  }

  /// The process reads a newer database once; each ledger must hear of it.
  @Test func everyLedgerLearnsOfNewTimeZones() {
    let answers = Lock([false, true, false, false, false])
    let zones = SharedZones { answers.withLock { $0.isEmpty ? false : $0.removeFirst() } }
    let told = Lock(0)
    func reload(_ shard: Int64) -> Bool { zones.reload(for: shard) { told.withLock { $0 += 1 } } }
    #expect(!reload(0))
    #expect(reload(0), "it is read again here")
    #expect(told.withLock { $0 } == 1)
    #expect(reload(1), "it was read again before, and is news to this one")
    #expect(!reload(1) && !reload(0))
    #expect(told.withLock { $0 } == 1)
  }
}
