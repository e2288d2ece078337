import CivilTime
import Described
import Evidence
import Foundation
import Foundations
import Ledger
import RewardRules
import Scheduling
import TestSupport
import Testing

@testable import LedgerStore
@testable import NotificationRelay
@testable import Operations

/// A data folder as version 1 left it: two days of two users, an outage of the clock, a pause and a replay of a sink; beside it the folder of
/// a sink as it is since sinks have no sealed logs.
///
/// What reads it otherwise, or writes other bytes, has changed a form on the disk: then the new form has a number of its own,
/// its own recorded files stand beside these, and these stay readable.
@Suite(.offThePool) struct RecordedDataTests {
  private struct Missing: Error {}

  private static let ledger = "2395992e-d62b-4d04-a8a2-21f95e10abd9"
  private static let head =
    "102:5c80a9c71e44fcd378e2422b28fe124baf3d468e4424102613cee61b5e0aae16"

  private let system = PosixFileSystem()
  private let recorded: String
  private let folder: TemporaryFolder
  private let directory: DataDirectory
  /// An empty folder to write the same into.
  private let other: DataDirectory

  init() throws {
    guard let recorded = Bundle.module.url(forResource: "Recorded", withExtension: nil)?.path else {
      throw Missing()
    }
    self.recorded = recorded
    folder = try TemporaryFolder()
    // A copy: reading leaves things behind.
    try FileManager.default.copyItem(atPath: "\(recorded)/data", toPath: "\(folder.path)/data")
    directory = DataDirectory("\(folder.path)/data")
    other = DataDirectory("\(folder.path)/other")
    try other.create()
  }

  private func bytes(_ path: String) throws -> [UInt8] { try system.readWhole(path) }

  @Test func theLedger() throws {
    let report = try LedgerVerifier(directory).verify()
    #expect(report.isIntact)
    #expect(try LedgerReader.open(directory).head.description == Self.head)
  }

  /// The form of the snapshot is older: it is refused, and the state is folded from the ledger.
  @Test func theSnapshotIsRebuiltFromTheLedger() throws {
    var state = LedgerState()
    try LedgerReader.open(directory).scan { state.apply($0) }
    let snapshots = SnapshotFolder(folder: directory.state, fileSystem: system)
    let found = try #require(try snapshots.newest().found.first)
    let payload = try #require(try snapshots.payload(of: found))
    #expect(found.header.head.description == Self.head)
    #expect(throws: BinaryError.self) { try StateSnapshot.read(payload) }
    let reader = try LedgerReader.open(directory)
    #expect(StateSnapshot.write(try reader.state()) == StateSnapshot.write(state))
    #expect(found.header.line + payload == (try bytes(found.path)))
  }

  @Test func theCheckpointOfTheAudit() throws {
    let checkpoint = try #require(try AuditCheckpoint(directory, of: Self.ledger))
    #expect(checkpoint.head.description == Self.head && checkpoint.waiting == ["u100001"])
    try checkpoint.write(to: other)
    #expect(
      try bytes(AuditCheckpoint.path(other)) == (try bytes(AuditCheckpoint.path(directory))))
  }

  @Test func theIndexOfASegment() throws {
    let path = "\(directory.index)/00000000000000000001.index"
    let index = try #require(try SegmentIndex(path: path, system))
    #expect(index.header.firstSeq == 1 && !index.blocks.isEmpty && !index.commonLines.isEmpty)
    #expect(try bytes(path).starts(with: index.header.line))
  }

  @Test func theLooks() throws {
    var last: [String: LookEntry] = [:]
    let found = try LookJournal(directory).read { last["\($0.user) \($0.source)"] = $0 }
    #expect(found.damagedBytes == 0 && found.inboxThrough != nil)
    #expect(last.count == 6)
    let entries = last.values.sorted {
      ($0.user, $0.source.rawValue) < ($1.user, $1.source.rawValue)
    }
    try LookJournal(other).write(entries, inboxThrough: found.inboxThrough)
    var again: [LookEntry] = []
    let kept = try LookJournal(other).read { again.append($0) }
    #expect(again == entries && kept.inboxThrough == found.inboxThrough)
    // Of each user and route the last frame, as it was written.
    let frames = try bytes("\(directory.looks)/looks")
    for entry in entries {
      try LookJournal(other).write([entry], inboxThrough: nil)
      let frame = try bytes("\(other.looks)/looks").drop { $0 != UInt8(ascii: "\n") }.dropFirst()
      #expect(frames.firstRange(of: frame) != nil)
    }
  }

  @Test func theHabits() throws {
    let habits = try HabitFile(directory).read(ledger: Self.ledger)
    #expect(habits.count == 2)
    try HabitFile(other).write(habits, ledger: Self.ledger)
    #expect(try bytes(other.habits) == (try bytes(directory.habits)))
  }

  /// Older versions kept sealed logs of sinks, and a cache of what they came to.
  @Test(arguments: [("journal", 0), ("notify", 39)])
  func theSealedLogOfASink(name: String, attempts: Int) throws {
    let cache = try RelayProgress(json: bytes("\(directory.relay)/\(name)/cursor.json"))
    let writer = try SinkWriter(name, in: directory, SinkWriter.Terms(ledger: Self.ledger))
    var progress = writer.progress
    (progress.changedAt, progress.changes) = (nil, 0)
    #expect(progress == cache)
    var count = 0
    try SinkFolder(name, in: directory).eachAttempt { _ in count += 1 }
    #expect(count == attempts)
  }

  @Test func whereASinkStands() throws {
    let folder = SinkFolder("hook", in: directory)
    let file = try bytes(folder.progressFile)
    let kept = try #require(try folder.kept())
    #expect(kept.ledger == Self.ledger && kept.progress.deadLetters == 1)
    #expect(kept.progress.behind.count == 1 && kept.progress.replays.count == 1)
    #expect(kept.text == file)
    let dead = try folder.deadLetters()
    #expect(try bytes(folder.deadLetterFile) == dead.flatMap(\.jsonLine))
    var attempts: [UInt8] = []
    try folder.eachAttempt { attempts += $0.jsonLine }
    // What people did stands among them.
    let lines = try folder.attemptFiles().flatMap { try bytes($0.path) }
    let act = Array(#"{"at":"2026-11-28T16:03:37.73Z","act":"replay","by":"root","events":1}"#.utf8)
    #expect(
      Array(lines.split(separator: 0x0A).filter { $0 != act[...] }.joined(separator: [0x0A])) + [
        0x0A
      ] == attempts)
  }

  @Test func aPlan() throws {
    let file = try bytes("\(recorded)/plan.json")
    let plan = try BackfillPlanFile.decode(file)
    #expect(plan.ledger == Self.ledger && plan.users.map(\.user) == ["u100001"])
    #expect(plan.amounts.points == 50)
    // How long streaks are stands there for people, and is not read.
    let again = try BackfillPlanFile.decode(BackfillPlanFile.encode(plan))
    #expect(again.id == plan.id && again.head == plan.head)
    #expect(again.users == plan.users)
  }

  @Test func theManifestOfABackup() throws {
    let file = try bytes("\(recorded)/backup/\(BackupManifest.name)")
    let manifest = try #require(BackupManifest(file))
    #expect(manifest.chains.keys.sorted() == ["ledger", "relay/journal", "relay/notify"])
    #expect(manifest.text == file)
  }

  @Test func theMarkOfTheClock() throws {
    let boot = "f861204b-01e6-4203-80b8-d9a8f97295fb"
    guard case .thisBoot(let reading)? = ClockMark.read(in: directory, boot: boot) else {
      Issue.record("no mark of this boot")
      return
    }
    #expect(reading.boot == 29_844_582_830_519)
    ClockMark(other)?.write(reading, boot: boot)
    #expect(try bytes("\(other.state)/clock") == (try bytes("\(directory.state)/clock")))
  }

  @Test func whatIsTroubled() async throws {
    let clock = FixedClock(at: Instant(seconds: 1_796_000_000))
    let troubles = await Troubles.restore(directory, ledger: Self.ledger, clock: clock)
    #expect(troubles.subjects(of: .clock) == [""])
    #expect(troubles.since(.clock) == (try InstantText.parse("2026-11-28T09:01:24.2Z").instant))
  }
}
