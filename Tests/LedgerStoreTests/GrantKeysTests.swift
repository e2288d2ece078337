import Foundations
import Ledger
import TestSupport
import Testing

@testable import LedgerStore

/// Keys that were granted before are found alike, whether they are held in memory or on the disk.
@Suite(.offThePool) struct GrantKeysTests {
  @Test func onTheDiskTheyAreTheSame() async throws {
    var bench = try Bench()
    bench.segmentLimitBytes = 6_000
    let store = try bench.open()
    for number in 0..<120 { _ = try store.append([Bench.grant(number % 97)]) }
    _ = try store.append([Bench.grant(3)])
    store.close()
    let whole = try LedgerVerifier(bench.directory).verify()
    #expect(whole.damage.count == 24)
    #expect(whole.damage.allSatisfy { $0.kind == .duplicateKey })
    for held in [1, 2, 7, 60, 97, 1_000] {
      var verifier = LedgerVerifier(
        folder: bench.directory.ledger, fileSystem: PosixFileSystem(), stretchBytes: 700)
      verifier.keyLimits.held = held
      #expect(try verifier.verify().damage == whole.damage)
    }
  }

  /// Other damage keeps its order, and repeated keys stand where they are.
  @Test func amongOtherDamageTheyStandInTheirPlaces() async throws {
    let bench = try Bench()
    let store = try bench.open()
    for number in [5, 5, 6, 7, 7, 8] { _ = try store.append([Bench.grant(number)]) }
    store.close()
    var bytes = try contents(try bench.segmentPath(0))
    // The seal of the batch in the middle.
    let end = sealEnds(in: bytes)[3]
    bytes[end - 10] ^= 1
    try put(bytes, at: try bench.segmentPath(0))
    let damage = try LedgerVerifier(bench.directory).verify().damage
    #expect(damage.first?.kind == .duplicateKey && damage.last?.kind == .duplicateKey)
    #expect(damage.count > 2 && damage.map(\.byte) == damage.map(\.byte).sorted())
  }

  /// Of the second and every further one under a key it is told that the first stands, in the order of their places.
  @Test func eachIsToldWithTheFirst() async throws {
    let bench = try Bench()
    let store = try bench.open()
    for number in [5, 6, 5, 7, 6, 5] { _ = try store.append([Bench.grant(number)]) }
    store.close()
    let damage = try LedgerVerifier(bench.directory).verify().damage
    #expect(damage.map(\.byte) == damage.map(\.byte).sorted())
    let seqs = damage.map {
      $0.what.split(separator: " ").compactMap { Int($0.filter(\.isNumber)) }
    }
    #expect(seqs == [[7, 3], [11, 5], [13, 3]])
  }
}
