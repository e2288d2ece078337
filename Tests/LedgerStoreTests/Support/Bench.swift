import CivilTime
import Digests
import Files
import Ledger
import LedgerStore
import RewardRules
import TestSupport
import Threading

/// A ledger in a folder of its own, with a clock that moves by itself.
struct Bench {
  let folder: TemporaryFolder
  var fileSystem: any FileSystem = PosixFileSystem()
  var segmentLimitBytes = 256 << 20

  init() throws { folder = try TemporaryFolder() }

  var directory: DataDirectory { DataDirectory(folder.path) }

  func open(
    knownHeads: [LedgerHead] = [],
    onCommit: @escaping @Sendable ([Record], LedgerHead) -> Void = { _, _ in }
  ) throws(LedgerError) -> LedgerStore {
    var configuration = LedgerConfiguration(
      directory: directory, program: "rewards test", command: "rewards serve")
    configuration.segmentLimitBytes = segmentLimitBytes
    let ticks = Lock(Int64(0))
    return try LedgerStore.open(
      configuration,
      LedgerStore.Dependencies(
        fileSystem: fileSystem,
        clock: {
          Instant(
            seconds: 1_795_186_799
              + ticks.withLock {
                $0 += 1
                return $0
              }, nanoseconds: 123_456_789)
        },
        randomBytes: { Array(repeating: 0xAB, count: $0) }, onCommit: onCommit),
      knownHeads: knownHeads)
  }

  /// A store as another start of the program would open it, without faults.
  func reopened(knownHeads: [LedgerHead] = []) throws -> LedgerStore {
    var clean = self
    clean.fileSystem = PosixFileSystem()
    return try clean.open(knownHeads: knownHeads)
  }

  func records() throws -> [Record] {
    var records: [Record] = []
    try LedgerReader.open(directory).readRecords(after: 0) { records.append($0) }
    return records
  }

  func verify(stretchBytes: Int = 16 << 20, heads: [LedgerHead] = []) throws -> VerificationReport {
    try LedgerVerifier(folder: directory.ledger, stretchBytes: stretchBytes).verify(heads: heads)
  }

  func segments() throws -> [String] { try names(in: directory.ledger) }

  func segmentPath(_ index: Int) throws -> String {
    "\(directory.ledger)/\(try segments()[index])"
  }

  static func grant(_ number: Int, cause: String = "live") -> RecordBody {
    var reward = Reward()
    reward.points = 15
    return .grant(
      GrantRecord(
        key: "user\(number)/2026-11-20/watch", user: "user\(number)", day: Day(number: 20_777),
        mission: "watch", effective: Instant(seconds: 1_795_186_000), rules: "2026-11",
        reward: reward, evidence: [1], cause: cause))
  }
}

/// Where the seals of a segment end, in order.
func sealEnds(in segment: [UInt8]) -> [Int] {
  var ends: [Int] = []
  var start = 0
  for line in segment.split(separator: 0x0A) {
    start += line.count + 1
    if String(decoding: line, as: UTF8.self).contains("\"type\":\"seal\"") { ends.append(start) }
  }
  return ends
}

extension [Record] {
  /// The keys of the grants among the records.
  var keys: [String] {
    compactMap { if case .grant(let grant) = $0.body { grant.key } else { nil } }
  }
}
