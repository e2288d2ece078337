import Foundations
import Ledger
import LedgerStore
import TestSupport
import Testing

@testable import LedgerDatabase

/// Rows that do not agree with the chain are named, and keys are mended.
@Suite(.offThePool, .enabled(if: DatabasePlace.isAvailable)) struct ShardCheckTests {
  private let place: DatabasePlace

  /// A shard whose ledger has grants under several seals.
  init() throws {
    place = try DatabasePlace()
    try fill(with: (0..<6).map { [Self.grant($0), Self.grant(100 + $0)] })
  }

  /// Appends batches of grants.
  private func fill(with batches: [[RecordBody]], segmentBytes: Int? = nil) throws {
    let store = try place.open(place.makeFiles(worker: "first"), segmentBytes: segmentBytes)
    for batch in batches { _ = try store.append(batch) }
    store.close()
  }

  /// Batches in many chunks and segments, one of them longer than a chunk.
  private func fillLong() throws {
    try fill(with: (0..<40).map { [Self.grant(1_000 + $0)] }, segmentBytes: 4_000)
    try fill(with: [(0..<2_500).map { Self.grant(10_000 + $0) }])
    try fill(with: (0..<20).map { [Self.grant(20_000 + $0)] }, segmentBytes: 4_000)
  }

  private static func grant(_ number: Int) -> RecordBody {
    DatabasePlace.grant("u\(number)/2026-11-20/watch")
  }

  private func check(_ keysAtOnce: Int = 1_000) throws -> ShardCheck {
    try ShardCheck(place.shard, place.pool, keysAtOnce: keysAtOnce)
  }
  private func mend() throws -> ShardCheck {
    try ShardCheck.mendingKeys(of: place.shard, place.pool, worker: "test", keysAtOnce: 7)
  }

  @Test func aSoundShardHasNoFlaw() throws {
    let check = try check()
    #expect(check.flaws == [])
    #expect(check.grants == 12 && check.head.seq > 18)
    #expect(try mend().mended == 0)
  }

  @Test(arguments: [1, 7, 100_000]) func aLongShardHasNoFlaw(keysAtOnce: Int) throws {
    try fillLong()
    let check = try check(keysAtOnce)
    #expect(check.flaws == [])
    #expect(check.grants == 12 + 40 + 2_500 + 20)
  }

  @Test func anEmptyShardHasNoFlaw() throws {
    let empty = try DatabasePlace()
    let check = try ShardCheck(empty.shard, empty.pool)
    #expect(check.flaws == [] && check.head.seq == 0)
  }

  /// What was cut off at the chain's end cannot be seen in the chain: the row of the shard tells of it.
  @Test func theRowOfAShardTellsItsHead() throws {
    let head = try #require(try ShardStatus.head(of: place.shard, place.pool))
    #expect(head == (try check().head))
    let verifier = LedgerVerifier(
      folder: place.folder + "/ledger", fileSystem: place.makeFiles(worker: "reader"))
    #expect(try verifier.verify(heads: [head]).isIntact)
    try place.change("DELETE FROM rewards.chunk WHERE # AND first > 15")
    #expect(try verifier.verify().isIntact)
    #expect(try !verifier.verify(heads: [head]).isIntact)
    #expect(try ShardStatus.head(of: try DatabasePlace().shard, place.pool) == nil)
  }

  /// Changes of rows, and the tables of which each makes a row wrong.
  private static let changes: [(String, Set<String>)] = [
    ("UPDATE rewards.shard SET seq = seq - 1 WHERE #", ["shard", "chunk", "seal"]),
    (
      "UPDATE rewards.shard SET hash = set_byte(hash, 0, 255 - get_byte(hash, 0)) WHERE #",
      ["shard"]
    ),
    ("UPDATE rewards.shard SET at = at + 1 WHERE #", ["shard"]),
    ("DELETE FROM rewards.shard WHERE #", ["shard"]),
    (
      "UPDATE rewards.seal SET hash = set_byte(hash, 9, 255 - get_byte(hash, 9)) WHERE # AND seq > 6",
      ["seal"]
    ),
    ("UPDATE rewards.seal SET token = 99 WHERE # AND seq < 6", ["seal"]),
    ("UPDATE rewards.seal SET seq = 3 WHERE # AND seq < 6 AND seq > 2", ["seal"]),
    (
      "INSERT INTO rewards.seal SELECT shard, 999, hash, token FROM rewards.shard WHERE #", ["seal"]
    ),
    ("DELETE FROM rewards.seal WHERE # AND seq > 17", ["seal"]),
    ("DELETE FROM rewards.chunk WHERE # AND first > 6 AND first < 12", ["chunk"]),
    ("DELETE FROM rewards.chunk WHERE # AND first > 15", ["shard"]),
    ("UPDATE rewards.chunk SET codec = 7 WHERE # AND first = 1", ["chunk"]),
    ("UPDATE rewards.chunk SET start = start + 1 WHERE # AND first > 15", ["chunk"]),
    ("DELETE FROM rewards.grant_key WHERE # AND key LIKE 'u3/%'", ["grant_key"]),
    ("UPDATE rewards.grant_key SET seq = seq + 1 WHERE # AND key LIKE 'u3/%'", ["grant_key"]),
    ("UPDATE rewards.grant_key SET kday = 7 WHERE # AND key LIKE 'u3/%'", ["grant_key"]),
    ("UPDATE rewards.grant_key SET key = 'x' WHERE # AND key LIKE 'u3/%'", ["grant_key"]),
    (
      "INSERT INTO rewards.grant_key SELECT shard, 0, 'y', 9999 FROM rewards.shard WHERE #",
      ["grant_key"]
    ),
    ("UPDATE rewards.chunk SET size = 0, codec = 0, bytes = '' WHERE # AND first > 15", ["chunk"]),
    ("UPDATE rewards.chunk SET last = last + 1 WHERE # AND first = 1", ["chunk"]),
    ("UPDATE rewards.chunk SET first = 0 WHERE # AND first = 1", ["chunk"]),
    (
      """
      INSERT INTO rewards.chunk SELECT shard, segment, 999999, size, first, last, codec, bytes
      FROM rewards.chunk WHERE # AND first = 1
      """, ["chunk"]
    ),
    ("UPDATE rewards.shard SET token = 0 WHERE #", ["shard"]),
    (
      "INSERT INTO rewards.grant_key SELECT shard, 0, 'y', -1 FROM rewards.shard WHERE #",
      ["grant_key"]
    ),
  ]

  /// Each change of a row is named by its table, and nothing else is.
  @Test(arguments: changes)
  func aChangedRowIsNamed(_ statement: String, _ tables: Set<String>) throws {
    try place.change(statement)
    let flaws = try check().flaws
    #expect(!flaws.isEmpty)
    #expect(Set(flaws.map(\.table)).isSubset(of: tables), "\(flaws)")
  }

  /// The table of keys becomes what it was, row by row, and goes on keeping keys single.
  @Test func mendedKeysAreTheOldOnes() throws {
    let before = try keys()
    try place.change("DELETE FROM rewards.grant_key WHERE # AND key LIKE 'u1%'")
    try place.change("UPDATE rewards.grant_key SET kday = 9, seq = 2 WHERE # AND key LIKE 'u4/%'")
    try place.change(
      "INSERT INTO rewards.grant_key SELECT shard, 3, 'z', 5 FROM rewards.shard WHERE #")
    try place.change(
      "INSERT INTO rewards.grant_key SELECT shard, 0, 'y', 9999 FROM rewards.shard WHERE #")
    #expect(try keys() != before)
    let mended = try mend()
    #expect(mended.isSound && mended.mended > 5)
    #expect(try keys() == before)
    #expect(try check().flaws == [])
  }

  /// Rows that name lines of other parts of the chain, or none, are in the way of the right ones.
  @Test func keysOfFarLinesAreMended() throws {
    try fillLong()
    let before = try keys()
    try place.change("UPDATE rewards.grant_key SET seq = 2570 WHERE # AND key LIKE 'u3/%'")
    try place.change("UPDATE rewards.grant_key SET seq = 4 WHERE # AND key LIKE 'u20007/%'")
    try place.change("UPDATE rewards.grant_key SET seq = -1 WHERE # AND key LIKE 'u10007/%'")
    #expect(try mend().isSound)
    #expect(try keys() == before)
  }

  /// A head that went back leaves keys behind it that are nobody's to take away.
  @Test func keysOfAShardThatWentBackStay() throws {
    let before = try keys()
    try place.change(
      """
      UPDATE rewards.shard SET (seq, hash) =
      (SELECT seq, hash FROM rewards.seal WHERE # ORDER BY seq OFFSET 2 LIMIT 1) WHERE #
      """)
    let found = try mend()
    #expect(!found.isSound && found.mended == 0)
    #expect(Set(found.flaws.map(\.table)).isSuperset(of: ["chunk", "grant_key"]))
    #expect(try keys() == before)
  }

  @Test func whoHasTheLeaseIsNotDisturbed() throws {
    try place.change("DELETE FROM rewards.grant_key WHERE #")
    let files = place.makeFiles(worker: "service")
    let lock = try files.holdLock(of: "\(place.folder)/lock")
    let error = #expect(throws: FileError.self) { try mend() }
    #expect(try #require(error).operation == "service")
    #expect(try check().flawCount == 12)
    withExtendedLifetime(lock) {}
  }

  private func keys() throws -> [String] {
    try place.pool.withConnection { connection throws(DatabaseError) in
      let rows = try connection.run(
        DatabaseStatement(
          "SELECT kday, key, seq FROM rewards.grant_key WHERE shard = $1 ORDER BY key",
          [.number(place.shard)]), within: 120)
      return (0..<rows.count).map {
        "\(rows.number($0, 0)) \(rows.text($0, 1)) \(rows.number($0, 2))"
      }
    }
  }
}
