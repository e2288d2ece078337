import CivilTime
import Digests
import Foundation
import Foundations
import Glibc
import Ledger
import TestSupport
import Testing

@testable import LedgerStore

/// A ledger that is copied elsewhere and put back: what a seal commits is there, whatever happens meanwhile.
@Suite(.offThePool) struct BackupTests {
  private static let now = Instant(seconds: 1_795_200_000)

  private static func bench(grants: Int) async throws -> Bench {
    var bench = try Bench()
    bench.segmentLimitBytes = 3_000
    let store = try bench.open()
    for number in 0..<grants { _ = try store.append([Bench.grant(number)]) }
    store.close()
    return bench
  }

  private static func grow(_ bench: Bench, _ numbers: Range<Int>) throws {
    let store = try bench.open()
    for number in numbers { _ = try store.append([Bench.grant(number)]) }
    store.close()
  }

  private static func backUp(
    _ bench: Bench, _ target: String, _ fileSystem: any FileSystem = PosixFileSystem(),
    isFull: Bool = false
  ) throws -> LedgerBackup.Report {
    try LedgerBackup(bench.directory(in: fileSystem), into: target)
      .run(now: now, command: "rewards test", isFull: isFull)
  }

  private static func restore(
    _ backup: String, _ target: String, _ fileSystem: any FileSystem = PosixFileSystem()
  ) throws -> LedgerRestore.Report {
    try LedgerRestore(backup, into: DataDirectory(target, in: fileSystem))
      .run(command: "rewards test")
  }

  private static func lines(in folder: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try LedgerReader.open(DataDirectory(folder)).scanLines(after: 0) { _, line in
      bytes += line
      return .next
    }
    return bytes
  }

  @Test func copiesWhatIsNewAndGivesItBack() async throws {
    let bench = try await Self.bench(grants: 30)
    let away = try TemporaryFolder()
    let backup = "\(away.path)/backup"
    let first = try Self.backUp(bench, backup)
    let size = try Self.lines(in: bench.folder.path).count
    #expect(first.copiedBytes == size)
    #expect(first.head == (try bench.verify().head))
    let again = try Self.backUp(bench, backup)
    #expect(again.copiedBytes == 0 && again.checkedRecords == 0 && again.head == first.head)
    try Self.grow(bench, 30..<60)
    let later = try Self.backUp(bench, backup)
    #expect(later.copiedBytes == (try Self.lines(in: bench.folder.path)).count - size)
    #expect(later.checkedRecords == 60)
    #expect(try Self.lines(in: backup) == Self.lines(in: bench.folder.path))
    let all = try Self.backUp(bench, backup, isFull: true)
    #expect(all.checkedRecords == 122)

    let report = try Self.restore(backup, "\(away.path)/data")
    #expect(report.head == later.head && report.checkedRecords == 122)
    #expect(report.madeAt == Self.now.description)
    #expect(try Self.lines(in: "\(away.path)/data") == Self.lines(in: bench.folder.path))
  }

  @Test func takesSinksLooksAndTheInboxAlong() async throws {
    let bench = try await Self.bench(grants: 3)
    let away = try TemporaryFolder()
    let data = bench.folder.path
    let files = FileManager.default
    try files.createDirectory(
      atPath: "\(data)/relay/journal", withIntermediateDirectories: false)
    let sink = [
      "progress.json": "{}", "dead.jsonl": "dead\n", "forgotten": "x",
      "attempts-2026-11-20.jsonl": "one\n", "attempts-2026-11-21.jsonl": "two\n",
    ]
    for (name, text) in sink { try Self.put(text, "\(data)/relay/journal/\(name)") }
    try Self.put("half", "\(data)/relay/journal/progress.json.tmp")
    try Self.put("looks", "\(data)/state/looks/looks")
    try Self.put("line\n", "\(data)/inbox/incoming/a.jsonl")
    try Self.put("half", "\(data)/inbox/incoming/b.tmp")
    let report = try Self.backUp(bench, "\(away.path)/backup")
    #expect(report.sinks == ["journal"] && report.files == 7)
    try files.removeItem(atPath: "\(data)/inbox/incoming/a.jsonl")
    // A log that is as long as before has nothing new.
    try Self.put("ONE\n", "\(data)/relay/journal/attempts-2026-11-20.jsonl")
    try Self.put("two\nthree\n", "\(data)/relay/journal/attempts-2026-11-21.jsonl")
    try Self.put("[]", "\(data)/relay/journal/progress.json")
    #expect(try Self.backUp(bench, "\(away.path)/backup").files == 6)
    #expect(try files.contentsOfDirectory(atPath: "\(away.path)/backup/files").count == 6)
    // Whoever reads the backup as a data folder finds where the sink stands.
    #expect(try Self.text("\(away.path)/backup/relay/journal/progress.json") == "[]")
    _ = try Self.restore("\(away.path)/backup", "\(away.path)/data")
    var expected = sink
    expected["attempts-2026-11-21.jsonl"] = "two\nthree\n"
    expected["progress.json"] = "[]"
    for (name, text) in expected {
      #expect(try Self.text("\(away.path)/data/relay/journal/\(name)") == text, "\(name)")
    }
    #expect(try Self.text("\(away.path)/data/state/looks/looks") == "looks")
    #expect(
      try files.contentsOfDirectory(atPath: "\(away.path)/data/relay/journal").count == sink.count)
    _ = try Self.backUp(bench, "\(away.path)/backup", isFull: true)
    _ = try Self.restore("\(away.path)/backup", "\(away.path)/full")
    let log = "\(away.path)/full/relay/journal/attempts-2026-11-20.jsonl"
    #expect(try Self.text(log) == "ONE\n")
  }

  /// Older versions kept sealed logs of sinks, and so do their backups.
  @Test func aBackupOfAnOlderVersionIsRestored() async throws {
    let bench = try await Self.bench(grants: 3)
    let away = try TemporaryFolder()
    let backup = "\(away.path)/backup"
    let report = try Self.backUp(bench, backup)
    let files = PosixFileSystem()
    for folder in ["relay", "relay/journal"] { _ = try files.makeFolder("\(backup)/\(folder)") }
    var manifest = try BackupFolder.finishedManifest(in: backup, files)
    manifest.chains["relay/journal"] = try ChainCopy(
      target: "\(backup)/relay/journal", fileSystem: files
    ).update(from: LedgerReader.open(bench.directory), after: nil, isFull: true).mark
    try Data(manifest.text).write(to: URL(fileURLWithPath: "\(backup)/\(BackupManifest.name)"))
    #expect(try BackupContents(DataDirectory(backup)).sinks == ["journal"])
    _ = try Self.restore(backup, "\(away.path)/data")
    let log = "\(away.path)/data/relay/journal"
    #expect(try LedgerReader.open(folder: log, fileSystem: PosixFileSystem()).head == report.head)
    // The next one has no chain of it any more.
    #expect(try Self.backUp(bench, backup).sinks == [])
    #expect(try files.names(in: "\(backup)/relay/journal") == [])
  }

  private static func put(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test func packedSegmentsMayStandOnEitherSide() async throws {
    let bench = try await Self.bench(grants: 30)
    let away = try TemporaryFolder()
    let before = try Self.backUp(bench, "\(away.path)/before")
    _ = try LedgerCompaction(bench.directory).run()
    try Self.grow(bench, 30..<40)
    let after = try Self.backUp(bench, "\(away.path)/before", isFull: true)
    #expect(after.head.seq > before.head.seq)
    let small = try Self.backUp(bench, "\(away.path)/after")
    #expect(small.head == after.head)
    _ = try LedgerCompaction(DataDirectory("\(away.path)/before")).run()
    try Self.grow(bench, 40..<50)
    for name in ["before", "after"] {
      _ = try Self.backUp(bench, "\(away.path)/\(name)", isFull: true)
      _ = try Self.restore("\(away.path)/\(name)", "\(away.path)/data-\(name)")
      #expect(
        try Self.lines(in: "\(away.path)/data-\(name)") == Self.lines(in: bench.folder.path))
    }
  }

  @Test func killedAtEveryCallTheLastBackupIsThere() async throws {
    let bench = try await Self.bench(grants: 12)
    var call = 1
    while true {
      let away = try TemporaryFolder()
      let backup = "\(away.path)/backup"
      let source = try await Self.bench(grants: 12)
      try FileManager.default.removeItem(atPath: source.folder.path)
      try FileManager.default.copyItem(atPath: bench.folder.path, toPath: source.folder.path)
      let first = try Self.backUp(source, backup)
      try Self.grow(source, 12..<30)
      let faulty = FaultyFileSystem(.init(fault: .kill, atCall: call))
      let killed = try? Self.backUp(source, backup, faulty)
      let report = try Self.restore(backup, "\(away.path)/data")
      let newest = try LedgerReader.open(source.directory).head
      #expect([first.head, newest].contains(report.head), "call \(call)")
      if let killed { #expect(killed.head == report.head) }
      let next = try Self.backUp(source, backup, isFull: true)
      #expect(next.head == newest, "call \(call)")
      if killed != nil, !faulty.wasReached { break }
      call += 1
    }
    #expect(call > 20)
  }

  @Test func killedAtEveryCallOfTheFirstOneTheNextGoesOn() async throws {
    let bench = try await Self.bench(grants: 12)
    var call = 1
    while true {
      let away = try TemporaryFolder()
      let faulty = FaultyFileSystem(.init(fault: .kill, atCall: call))
      let done = try? Self.backUp(bench, "\(away.path)/backup", faulty)
      // It is whole or none, never half a one.
      if let restored = try? Self.restore("\(away.path)/backup", "\(away.path)/data") {
        #expect(restored.head == (try bench.verify().head), "call \(call)")
      } else {
        #expect(done == nil, "call \(call)")
      }
      // Nor does anybody read half a one as if it were a ledger.
      if let read = try? LedgerReader.open(DataDirectory("\(away.path)/backup")) {
        #expect(read.head == (try bench.verify().head), "call \(call)")
      }
      _ = try? FileManager.default.removeItem(atPath: "\(away.path)/data")
      #expect(try Self.backUp(bench, "\(away.path)/backup").head == bench.verify().head)
      if !faulty.wasReached { break }
      call += 1
    }
    #expect(call > 20)
  }

  /// Killed, or failed once and going on to clean up.
  @Test(arguments: [FaultyFileSystem.Fault.kill, .error(EIO)], Medium.all)
  func failedAtEveryCallOfARestoreNobodyOpensHalfALedger(
    _ fault: FaultyFileSystem.Fault, _ medium: Medium
  ) async throws {
    let bench = try await Self.bench(grants: 30)
    let away = try TemporaryFolder()
    let head = try Self.backUp(bench, "\(away.path)/backup").head
    var call = 1
    while true {
      let target = try Bench(medium)
      let data = medium == .folder ? "\(target.folder.path)/data" : target.directory.path
      let faulty = FaultyFileSystem(.init(fault: fault, atCall: call), of: target.allFiles())
      let done = try? Self.restore("\(away.path)/backup", data, faulty)
      do throws(LedgerError) {
        let reader = try LedgerReader.open(DataDirectory(data, in: target.allFiles()))
        #expect(reader.head == head, "call \(call)")
      } catch {
        #expect(done == nil && (error.kind == .refused || error.kind == .missing), "call \(call)")
        let repeated = try Self.restore("\(away.path)/backup", data, target.allFiles())
        #expect(repeated.head == head, "call \(call)")
      }
      if !faulty.wasReached { break }
      call += 1
    }
    #expect(call > 20)
  }

  @Test func refusesWhatDoesNotBelongTogether() async throws {
    let bench = try await Self.bench(grants: 12)
    let away = try TemporaryFolder()
    let backup = "\(away.path)/backup"
    _ = try Self.backUp(bench, backup)
    // Data that is there already.
    #expect(throws: LedgerError.self) { try Self.restore(backup, bench.folder.path) }
    // A folder with other things.
    try FileManager.default.createDirectory(
      atPath: "\(away.path)/photos/of", withIntermediateDirectories: true)
    #expect(throws: LedgerError.self) { try Self.backUp(bench, "\(away.path)/photos") }
    #expect(throws: LedgerError.self) { try Self.restore("\(away.path)/photos", "\(away.path)/d") }
    // Nobody writes in a backup.
    var inside = bench
    inside.segmentLimitBytes = 3_000
    #expect(throws: LedgerError.self) {
      try LedgerStore.open(
        LedgerConfiguration(directory: DataDirectory(backup), program: "p", command: "c"),
        .init(clock: { Self.now }, randomBytes: { Array(repeating: 1, count: $0) }))
    }
    // Another ledger.
    let other = try Bench()
    let store = try LedgerStore.open(
      LedgerConfiguration(directory: other.directory, program: "p", command: "c"),
      .init(clock: { Self.now }, randomBytes: { Array(repeating: 1, count: $0) }))
    store.close()
    #expect(throws: LedgerError.self) { try Self.backUp(other, backup) }
    // A ledger that was cut.
    let last = try bench.segmentPath(try bench.segments().count - 1)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: last))
    let ends = sealEnds(in: Array(bytes))
    if ends.count > 1 {
      try bytes.prefix(ends[ends.count - 2]).write(to: URL(fileURLWithPath: last))
    } else {
      try FileManager.default.removeItem(atPath: last)
    }
    do {
      _ = try Self.backUp(bench, backup)
      Issue.record("a cut ledger was backed up over the whole one")
    } catch let error as LedgerError {
      #expect(error.kind == .headMissing)
    }
    #expect(try Self.restore(backup, "\(away.path)/data").checkedRecords == 26)
  }

  @Test func findsADamagedBackupAndLeavesNothingOfIt() async throws {
    let bench = try await Self.bench(grants: 30)
    let away = try TemporaryFolder()
    let backup = "\(away.path)/backup"
    _ = try Self.backUp(bench, backup)
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(backup)/ledger").sorted()
    let path = "\(backup)/ledger/\(names[1])"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[100] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(throws: LedgerError.self) { try Self.backUp(bench, backup, isFull: true) }
    #expect(throws: LedgerError.self) { try Self.restore(backup, "\(away.path)/data") }
    #expect(throws: LedgerError.self) { try LedgerReader.open(DataDirectory("\(away.path)/data")) }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: "\(away.path)/data/ledger").isEmpty)
    bytes[100] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    _ = try Self.restore(backup, "\(away.path)/data")
    // The end of what was copied is looked at each time.
    let last = "\(backup)/ledger/\(names[names.count - 1])"
    try Data(contentsOf: URL(fileURLWithPath: last)).dropLast(5)
      .write(to: URL(fileURLWithPath: last))
    #expect(throws: LedgerError.self) { try Self.backUp(bench, backup) }
  }
}
