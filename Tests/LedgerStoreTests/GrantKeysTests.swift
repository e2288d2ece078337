import Files
import Ledger
import TestSupport
import Testing

@testable import LedgerStore

/// Keys that were granted before are found alike, whether they are held in memory or sorted on the disk.
@Suite(.offThePool) struct GrantKeysTests {
  @Test func sortedOnTheDiskTheyAreTheSame() async throws {
    var bench = try Bench()
    bench.segmentLimitBytes = 6_000
    let store = try bench.open()
    for number in 0..<120 { _ = try store.append([Bench.grant(number % 97)]) }
    _ = try store.append([Bench.grant(3)])
    store.close()
    let whole = try LedgerVerifier(folder: bench.directory.ledger).verify()
    #expect(whole.damage.count == 24)
    #expect(whole.damage.allSatisfy { $0.kind == .duplicateKey })
    for (known, sorted) in [(0, 1), (0, 7), (10, 3), (60, 1_000), (97, 2), (0, 1_000)] {
      var verifier = LedgerVerifier(folder: bench.directory.ledger, stretchBytes: 700)
      verifier.keyLimits.known = known
      verifier.keyLimits.sorted = sorted
      let damage = try verifier.verify().damage
      #expect(damage.sorted { $0.what < $1.what } == whole.damage.sorted { $0.what < $1.what })
    }
  }
}
