import CivilTime
import Digests
import Foundations
import Ledger
import LedgerDatabase
import LedgerStore
import RewardRules
import TestSupport

/// Where a ledger is kept: what holds in the one place holds in the other.
enum Medium: CaseIterable, Sendable {
  case folder, database

  /// All that this machine has.
  static let all = DatabasePlace.isAvailable ? allCases : [.folder]
}

/// A ledger in a place of its own, with a clock that moves by itself.
struct Bench {
  /// In a database: for what is no part of the ledger.
  let folder: TemporaryFolder
  private let place: DatabasePlace?
  var fileSystem: any FileSystem
  var segmentLimitBytes = 256 << 20

  init(_ medium: Medium = .folder) throws {
    folder = try TemporaryFolder()
    place = medium == .database ? try DatabasePlace() : nil
    fileSystem = place?.makeFiles() ?? PosixFileSystem()
  }

  /// The data folder, as another start of the program would have it, without faults.
  var directory: DataDirectory { directory(in: otherFiles()) }

  /// The data folder among files that may have faults.
  func directory(in files: any FileSystem) -> DataDirectory {
    DataDirectory(place?.folder ?? folder.path, in: files)
  }

  /// The files as another start of the program would have them, without faults.
  func otherFiles() -> any FileSystem { place?.makeFiles() ?? PosixFileSystem() }

  /// The same, and the machine's beside those of a database.
  func allFiles() -> any FileSystem {
    guard let files = place?.makeFiles() else { return PosixFileSystem() }
    return MountedFiles(base: PosixFileSystem(), root: files.root, files: files)
  }

  /// The files with a fault.
  mutating func breakFiles(_ plan: FaultyFileSystem.Plan? = nil) -> FaultyFileSystem {
    let files = FaultyFileSystem(plan, of: fileSystem)
    fileSystem = files
    return files
  }

  func open(
    knownHeads: [LedgerHead] = [],
    onCommit: @escaping @Sendable ([Record], LedgerHead) -> Void = { _, _ in }
  ) throws(LedgerError) -> LedgerStore {
    var configuration = LedgerConfiguration(
      directory: directory(in: fileSystem), program: "rewards test", command: "rewards serve")
    configuration.segmentLimitBytes = segmentLimitBytes
    let ticks = Lock(Int64(0))
    return try LedgerStore.open(
      configuration,
      LedgerStore.Dependencies(
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
    clean.fileSystem = otherFiles()
    return try clean.open(knownHeads: knownHeads)
  }

  func records() throws -> [Record] {
    var records: [Record] = []
    try LedgerReader.open(directory).scan {
      records.append($0)
    }
    return records
  }

  func verify(stretchBytes: Int = 16 << 20, heads: [LedgerHead] = []) throws -> VerificationReport {
    try LedgerVerifier(
      folder: directory.ledger, fileSystem: otherFiles(), stretchBytes: stretchBytes
    ).verify(heads: heads)
  }

  func segments() throws -> [String] { try otherFiles().names(in: directory.ledger).sorted() }

  /// The bytes of the segment with this index.
  func segment(_ index: Int) throws -> [UInt8] { try otherFiles().readWhole(segmentPath(index)) }

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
