import CivilTime
import Digests
import Foundations
import Glibc
import Ledger
import LedgerDatabase
import LedgerStore
import TestSupport
import Testing

/// A writer that was replaced writes nothing more, whatever it believes.
@Suite(.offThePool, .enabled(if: DatabasePlace.isAvailable)) struct FenceTests {
  private let place: DatabasePlace

  init() throws { place = try DatabasePlace() }

  private func level(_ number: Int) -> RecordBody {
    .level(LevelRecord(user: "u\(number)", level: 2, effective: Instant(seconds: 0)))
  }

  /// The lease ends as it would when its holder were asleep.
  private func endLease() throws {
    try place.change("UPDATE rewards.shard SET expires = now() - interval '1 second' WHERE #")
  }

  /// As after a failover to a copy that was behind: nobody else is there, and what was committed is gone.
  @Test func aDatabaseThatWentBackIsLeftAlone() throws {
    let files = place.makeFiles(worker: "first")
    let store = try place.open(files)
    _ = try store.append([level(1)])
    let before = store.head
    _ = try store.append([level(2)])
    let path = "\(DataDirectory(place.folder).state)/note"
    let file = try files.open(path, for: .append)
    try files.writeAll([1, 2, 3], to: file)
    try place.pool.withConnection { connection throws(DatabaseError) in
      try connection.run(
        [
          DatabaseStatement(
            "UPDATE rewards.shard SET seq = $2, hash = $3 WHERE shard = $1",
            [.number(place.shard), .number(Int64(before.seq)), .bytes(before.hash.bytes)]),
          DatabaseStatement(
            "UPDATE rewards.piece SET bytes = substring(bytes FROM 1 FOR 1) WHERE shard = $1",
            [.number(place.shard)]),
        ], within: 120)
    }
    let error = #expect(throws: LedgerError.self) { try store.append([level(3)]) }
    let text = "\(try #require(error))"
    #expect(text.contains("the database's head is \(before)"), "\(text)")
    #expect(store.isLost && store.status != .ready)
    let late = #expect(throws: FileError.self) { try files.writeAll([4], to: file) }
    #expect("\(try #require(late))".contains("a file that ends at byte 1"))
    files.close(file)
    store.close()
  }

  /// A row that was damaged is named by its place, whatever is wrong with it.
  @Test(arguments: [
    "bytes = set_byte(bytes, length(bytes) / 2, 255 - get_byte(bytes, length(bytes) / 2))",
    "codec = 1 - codec", "codec = 7", "size = -1", "size = 2147483647",
  ])
  func aDamagedChunkIsNamed(_ change: String) throws {
    let files = place.makeFiles(worker: "first")
    let store = try place.open(files)
    for number in 0..<3 { _ = try store.append([level(number)]) }
    store.close()
    try place.change("UPDATE rewards.chunk SET \(change) WHERE # AND start > 0")
    let report = try LedgerVerifier(
      folder: DataDirectory(place.folder).ledger, fileSystem: place.makeFiles(worker: "reader")
    ).verify()
    #expect(report.damage.first?.what.contains("chunk of shard \(place.shard) at byte") == true)
    #expect(!"\(report.damage)".contains("zst"))
  }

  @Test func aReplacedWriterCanNeitherAppendNorWriteFiles() throws {
    let sleeper = place.makeFiles(worker: "sleeper")
    let first = try place.open(sleeper)
    _ = try first.append([level(1)])
    try endLease()
    let second = try place.open(place.makeFiles(worker: "second"))
    _ = try second.append([level(2)])
    let error = #expect(throws: LedgerError.self) { try first.append([level(3)]) }
    #expect(error?.cause.contains("another worker holds the lease") == true)
    #expect(first.isLost && !second.isLost)
    let fileError = #expect(throws: FileError.self) {
      try sleeper.replace("\(place.folder)/state/a", with: [[1]])
    }
    #expect(fileError?.isStale == true)
    _ = try second.append([level(4)])
    second.close()
    let report = try LedgerVerifier(
      folder: DataDirectory(place.folder).ledger, fileSystem: place.makeFiles()
    ).verify(heads: [])
    #expect(report.isIntact && report.head == second.head)
  }

  /// Each line is held against the chain before it comes in.
  @Test func whatDoesNotFitTheChainIsRefused() throws {
    let files = place.makeFiles()
    let store = try place.open(files)
    store.close()
    let held = try files.holdLock(of: DataDirectory(place.folder).lock)
    let path = "\(place.folder)/ledger/00000000000000000001.jsonl"
    let bytes = try files.readWhole(path)
    let file = try files.open(path, for: .append)
    try files.writeAll(bytes, to: file)
    let error = #expect(throws: FileError.self) { try files.sync(file) }
    #expect(error?.operation.contains("do not follow") == true)
    let again = try files.open(path, for: .append)
    try files.writeAll(Array("{\"seq\":3".utf8), to: again)
    #expect(throws: FileError.self) { try files.sync(again) }
    #expect(try files.readWhole(path) == bytes)
    #expect(held != nil)
  }

  @Test func whatIsCommittedIsNeverCutOff() throws {
    let files = place.makeFiles()
    let store = try place.open(files)
    store.close()
    let held = try files.holdLock(of: DataDirectory(place.folder).lock)
    let path = "\(place.folder)/ledger/00000000000000000001.jsonl"
    let file = try files.open(path, for: .append)
    #expect(throws: FileError.self) { try files.truncate(file, to: 1) }
    #expect(throws: FileError.self) { try files.remove(path) }
    #expect(throws: FileError.self) {
      try files.rename("\(place.folder)/state/a", to: path)
    }
    // Written once more, as when a restore is repeated: the same bytes are taken, others are not.
    let bytes = try files.readWhole(path)
    let repeated = try files.open(path, for: .replace)
    try files.writeAll(bytes, to: repeated)
    try files.sync(repeated)
    let other = try files.open(path, for: .replace)
    #expect(throws: FileError.self) {
      try files.writeAll([UInt8](repeating: 0, count: 10), to: other)
    }
    #expect(held != nil)
  }

  @Test func aDamagedChunkIsNamed() throws {
    let store = try place.open(place.makeFiles())
    _ = try store.append((0..<50).map(level))
    store.close()
    try place.change(
      "UPDATE rewards.chunk SET bytes = substring(bytes FROM 2) WHERE # AND first = 3")
    let files = place.makeFiles()
    let error = #expect(throws: FileError.self) {
      try files.readWhole("\(place.folder)/ledger/00000000000000000001.jsonl")
    }
    #expect(error?.operation.contains("shard \(place.shard)") == true)
  }

  @Test func aGrantStandsOnceInTheKeysToo() throws {
    let store = try place.open(place.makeFiles())
    _ = try store.append([DatabasePlace.grant("u1/2026-11-20/watch")])
    #expect(throws: LedgerError.self) {
      try store.append([DatabasePlace.grant("u1/2026-11-20/watch")])
    }
    _ = try store.append([DatabasePlace.grant("u1/level/2")])
    store.close()
    let days = try place.pool.withConnection { connection throws(DatabaseError) in
      let rows = try connection.run(
        DatabaseStatement(
          "SELECT kday, key FROM rewards.grant_key WHERE shard = $1 ORDER BY seq",
          [.number(place.shard)]), within: 120)
      return (0..<rows.count).map { "\(rows.number($0, 0)) \(rows.text($0, 1))" }
    }
    #expect(days == ["20777 u1/2026-11-20/watch", "0 u1/level/2"])
  }
}
