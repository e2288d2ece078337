import CivilTime
import Engine
import Foundation
import Foundations
import Glibc
import Ledger
import LedgerStore
import Operations
import Scheduling

/// Measures appends of batches to the ledger, compared with only writing and syncing the same bytes.
struct AppendBenchmark: Benchmark {
  let name = "append"
  let summary = "batches of 1,000 records to the ledger, beside raw write + fdatasync"

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    [try await large(effort, note), try await shared(effort, note)]
  }

  /// Measures one caller with a seal for each thousand records.
  private func large(_ effort: Effort, _ note: @Sendable (String) -> Void) async throws -> ResultRow
  {
    var mix = RecordMix()
    let batches = (0..<effort.pick(quick: 50, full: 300)).map { _ in mix.next(1_000) }
    var ours: [Double] = []
    var raw: [Double] = []
    var processor: [Double] = []
    for round in 1...(effort.rounds * 2) {
      let folder = try TemporaryFolder()
      let directory = DataDirectory("\(folder.path)/data")
      let elapsed = try await appending(to: directory) { store in
        for batch in batches { _ = try store.append(batch) }
      }
      let lines = try Batches(reading: directory)
      guard lines.ranges.count == batches.count else {
        throw PeerFailure(what: "\(lines.ranges.count) batches in the file")
      }
      let plain = try lines.write(to: "\(folder.path)/raw")
      ours.append(elapsed.wall)
      processor.append(elapsed.processor)
      raw.append(plain.wall)
      note(
        "round \(round): ours \(Figure.time(elapsed.wall)), raw \(Figure.time(plain.wall)), "
          + "\(Figure.mebibytes(lines.bytes.count))")
    }
    let records = Double(batches.count * 1_000)
    return .compared(
      "append, groups of 1,000, one after the other",
      "\(Figure.count(records / ours.median)) records/s, "
        + "\(Figure.time(processor.median / records)) of processor each",
      peer:
        "write + fdatasync of the same bytes: \(Figure.count(records / raw.median)) records/s",
      ratio: raw.median / ours.median, atLeast: 0.7, askedText: "0.7")
  }

  /// Measures many callers with some records each: those that wait at the same time share a sync.
  private func shared(
    _ effort: Effort, _ note: @Sendable (String) -> Void
  ) async throws -> ResultRow {
    let callers = 64
    var mix = RecordMix()
    let groups = (0..<effort.pick(quick: 640, full: 6_400)).map { _ in mix.next(10) }
    var perSecond: [Double] = []
    var syncs: [Double] = []
    for round in 1...effort.rounds {
      let folder = try TemporaryFolder()
      let directory = DataDirectory("\(folder.path)/data")
      let clock = SystemClock()
      let store = try BenchmarkLedger.open(directory, clock: { clock.now() })
      let writer = try await BenchmarkWriter.make(ledger: store, clock: clock)
      let before = store.statistics.commits
      let watch = Stopwatch()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for caller in 0..<callers {
          group.addTask {
            for index in stride(from: caller, to: groups.count, by: callers) {
              try await writer.change(.users([caller])) { _ in
                LedgerWriter.Proposal([Draft(groups[index])]) { _, _ in }
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let elapsed = watch.elapsed
      perSecond.append(Double(groups.count) / elapsed.wall)
      syncs.append(Double(store.statistics.commits - before) / Double(groups.count))
      store.close()
      note("\(callers) callers, round \(round): \(Figure.time(elapsed.wall))")
    }
    return ResultRow(
      work: "append, groups of 10 from \(callers) callers at a time",
      measured: "\(Figure.count(perSecond.median)) groups/s, "
        + "\(String(format: "%.3f", syncs.median)) syncs a group",
      asked: "fewer than 1 sync", isReached: syncs.median < 0.5)
  }

  private func appending(
    to directory: DataDirectory, _ work: @escaping @Sendable (LedgerStore) throws -> Void
  ) async throws -> Elapsed {
    let clock = SystemClock()
    return try await BlockingThread(named: "benchmarks.append").run {
      let store = try BenchmarkLedger.open(directory, clock: { clock.now() })
      defer { store.close() }
      let watch = Stopwatch()
      try work(store)
      return watch.elapsed
    }
  }
}

/// The bytes of a ledger, divided as they were written.
private struct Batches {
  let bytes: [UInt8]
  private(set) var ranges: [Range<Int>] = []

  /// Reads the single segment of a ledger, without its first batch, the genesis.
  init(reading directory: DataDirectory) throws {
    let fileSystem = PosixFileSystem()
    let name = try fileSystem.names(in: directory.ledger)[0]
    bytes = try PosixFileSystem().readInput("\(directory.ledger)/\(name)", limitBytes: 1 << 30)
    var start = 0
    var line = 0
    var lines = 0
    for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
      lines += 1
      if bytes[line...index].containsSeal {
        if lines > 2 { ranges.append(start..<index + 1) }
        start = index + 1
        lines = 0
      }
      line = index + 1
    }
  }

  /// Writes each batch to a fresh file and syncs it.
  func write(to path: String) throws -> Elapsed {
    let file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o640)
    defer { close(file) }
    let watch = Stopwatch()
    try bytes.withUnsafeBytes { buffer in
      for range in ranges {
        let part = UnsafeRawBufferPointer(rebasing: buffer[range])
        guard Glibc.write(file, part.baseAddress, part.count) == part.count, fdatasync(file) == 0
        else { throw PeerFailure(what: "the raw write failed: errno \(errno)") }
      }
    }
    return watch.elapsed
  }
}

extension ArraySlice<UInt8> {
  private static let seal = Array(#""type":"seal""#.utf8)

  /// Whether this line is a seal: the type follows the sequence number and the time.
  fileprivate var containsSeal: Bool {
    let frame = prefix(96)
    return frame.indices.contains { frame[$0...].starts(with: Self.seal) }
  }
}
