import CivilTime
import Glibc
import Ledger
import LedgerStore
import Operations

/// Appending batches to the ledger, beside writing and syncing the same bytes with nothing else.
struct AppendBenchmark: Benchmark {
  let name = "append"
  let summary = "batches of 1,000 records to the ledger, beside raw write + fdatasync"

  func run(_ effort: Effort, note: @Sendable (String) -> Void) async throws -> [ResultRow] {
    let groups = effort.pick(quick: 50, full: 300)
    var mix = RecordMix()
    let batches = (0..<groups).map { _ in mix.next(1_000) }
    return [
      try await compare(
        batches, callers: 1, "append, groups of 1,000, one after the other", effort, note),
      try await compare(
        batches, callers: 2, "append, groups of 1,000, from two callers at a time", effort, note),
    ]
  }

  private func compare(
    _ batches: [[RecordBody]], callers: Int, _ work: String, _ effort: Effort,
    _ note: @Sendable (String) -> Void
  ) async throws -> ResultRow {
    var ours: [Double] = []
    var raw: [Double] = []
    var processor: [Double] = []
    for round in 1...(effort.rounds * 2) {
      let folder = try TemporaryFolder()
      let directory = DataDirectory("\(folder.path)/data")
      let elapsed = try await append(batches, callers: callers, to: directory)
      let lines = try Batches(reading: directory)
      // Those who wait at the same time share a seal.
      guard lines.ranges.count <= batches.count, lines.ranges.count * callers >= batches.count
      else { throw PeerFailure(what: "\(lines.ranges.count) batches in the file") }
      let plain = try lines.write(to: "\(folder.path)/raw")
      ours.append(elapsed.wall)
      processor.append(elapsed.processor)
      raw.append(plain.wall)
      note(
        "\(callers) callers, round \(round): ours \(Figure.time(elapsed.wall)), raw \(Figure.time(plain.wall)), "
          + "\(Figure.mebibytes(lines.bytes.count))")
    }
    let records = Double(batches.count * 1_000)
    return .compared(
      work,
      "\(Figure.count(records / ours.median)) records/s, "
        + "\(Figure.time(processor.median / records)) of processor each",
      peer:
        "write + fdatasync of the same bytes: \(Figure.count(records / raw.median)) records/s",
      ratio: raw.median / ours.median, atLeast: 0.7, askedText: "0.7")
  }

  private func append(
    _ batches: [[RecordBody]], callers: Int, to directory: DataDirectory
  ) async throws -> Elapsed {
    let clock = SystemClock()
    let store = try BenchmarkLedger.open(directory, clock: { clock.now() })
    defer { store.close() }
    let watch = Stopwatch()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<callers {
        group.addTask {
          for index in stride(from: caller, to: batches.count, by: callers) {
            _ = try await store.append(batches[index])
          }
        }
      }
      try await group.waitForAll()
    }
    return watch.elapsed
  }
}

/// The bytes of a ledger, divided as they were written.
private struct Batches {
  let bytes: [UInt8]
  private(set) var ranges: [Range<Int>] = []

  /// Reads the one segment of a ledger; its first batch, the genesis, is left out.
  init(reading directory: DataDirectory) throws {
    let fileSystem = PosixFileSystem()
    let name = try fileSystem.names(in: directory.ledger)[0]
    bytes = try WholeFile.read("\(directory.ledger)/\(name)", limitBytes: 1 << 30)
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

  /// Whether this line is a seal: the type stands behind the sequence number and the time.
  fileprivate var containsSeal: Bool {
    let frame = prefix(96)
    return frame.indices.contains { frame[$0...].starts(with: Self.seal) }
  }
}
