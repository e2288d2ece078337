import CivilTime
import Configuration
import Foundations
import Glibc
import Ledger

@testable import CheerAPI
@testable import LedgerStore

/// What reads files: from memory where it takes a file system, else from one file that is written anew for every input.
extension Reader {
  private static let directory = directory()

  private static func directory(_ files: MemoryFiles = MemoryFiles([:])) -> DataDirectory {
    DataDirectory("/data", in: files)
  }
  private static let segment = "\(directory.ledger)/00000000000000000001.jsonl"

  static let files: [String: Body] = [
    "ledger": { bytes in read(MemoryFiles([segment: bytes])) },
    "sealed-ledger": { bytes in read(MemoryFiles([segment: sealed(bytes)])) },
    "packed": { bytes in
      read(MemoryFiles(["\(segment).zst": bytes]))
      // With a table that fits: what is inside is then unpacked.
      guard bytes.count > 4 else { return }
      var table = SeekTable()
      let original = bytes.prefix(3).reduce(0) { $0 << 8 | Int($1) }
      table.append(packed: bytes.count - 3, original: original)
      read(MemoryFiles(["\(segment).zst": Array(bytes.dropFirst(3)) + table.bytes]))
    },
    "index": { bytes in
      use(index: bytes)
      if let resealed = resealed(index: bytes) { use(index: resealed) }
    },
    "snapshot-files": { bytes in
      let folder = SnapshotFolder(
        folder: "/state", fileSystem: MemoryFiles(["/state/snapshot-00000000000000000009": bytes]))
      guard let snapshots = try? folder.newest() else { return }
      for snapshot in snapshots.found { _ = try? folder.payload(of: snapshot) }
    },
    "looks": { bytes in
      let files = MemoryFiles(["\(directory.looks)/looks": bytes])
      _ = try? LookJournal(directory(files)).read { _ in }
    },
    "habits": { bytes in
      let file = HabitFile(directory(MemoryFiles([directory.habits: bytes])))
      _ = try? file.read(ledger: "fuzz")
    },
    "checkpoints": { bytes in
      let files = MemoryFiles([AuditCheckpoint.path(directory): bytes])
      _ = try? AuditCheckpoint(directory(files), of: "fuzz")
    },
    "manifests": { bytes in _ = BackupManifest(bytes) },
    "configuration": { bytes in
      write(bytes)
      _ = try? ConfigurationLoader(environment: [:], zones: zones).load(file: scratch)
    },
    "credentials": { bytes in
      write(bytes)
      _ = try? CredentialFile.read(path: scratch)
    },
  ]

  /// Everything that is done with a ledger when it is opened, read and checked.
  private static func read(_ files: MemoryFiles) {
    if let reader = try? LedgerReader.open(directory(files)) {
      var state = LedgerState()
      try? reader.scan(threads: 1) { state.apply($0) }
      try? reader.scan(.of(.named(["a", "u1"]))) { _ in }
    }
    _ = try? LedgerVerifier(folder: directory.ledger, fileSystem: files, threads: 1).verify()
    if let opened = try? openForWriting(files) {
      opened.log.close()
      // What was opened for writing once opens again, and nothing more is cut off.
      guard let again = try? openForWriting(files)
      else { preconditionFailure("what was opened does not open again") }
      precondition(again.cut == nil, "more is cut off the second time")
      again.log.close()
    }
  }

  private static func openForWriting(_ files: MemoryFiles) throws -> LogOpening.Opened {
    let files = SegmentFileSystem(files)
    return try LogOpening(
      folder: directory.ledger, stateFolder: directory.state, segmentLimitBytes: .max,
      fileSystem: files, monotonicSeconds: { 0 }
    ).open(SegmentFile.list(in: directory.ledger, files).segments, from: ChainStart(), heads: [])
  }

  /// A ledger whose lines have the bodies that `bytes` divide into, with frames and seals as they should be.
  private static func sealed(_ bytes: [UInt8]) -> [UInt8] {
    let at = Instant(seconds: 1_790_000_000)
    var text: [UInt8] = []
    var head = LedgerHead.origin
    var seq: UInt64 = 0
    var encoder = RecordEncoder()
    var sealer = SealBuilder()
    let genesis = GenesisRecord(format: 1, ledger: "fuzz", program: "fuzzer")
    var waiting: [UInt8] = []
    encoder.appendFrame(seq: 1, at: at, to: &waiting)
    guard (try? encoder.appendBody(.genesis(genesis), to: &waiting)) != nil else { return [] }
    var count = 1
    func seal() {
      head = sealer.seal(&waiting, count: count, seq: seq + UInt64(count) + 1, at: at, prev: head)
      seq = head.seq
      text += waiting
      waiting = []
      count = 0
    }
    seal()
    for body in bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 64) {
      encoder.appendFrame(seq: seq + UInt64(count) + 1, at: at, to: &waiting)
      waiting += body
      waiting += Array("}\n".utf8)
      count += 1
      if count == 3 { seal() }
    }
    if count > 0 { seal() }
    return text
  }

  private static func use(index bytes: [UInt8]) {
    guard let index = try? SegmentIndex(path: "/i", MemoryFiles(["/i": bytes])) else { return }
    _ = index.place(before: index.header.firstSeq)
    _ = index.place(before: index.header.head.seq)
    _ = try? index.wanted([0, 1, 0x8000_0000, .max])
  }

  /// The same parts with the checksums that they should have.
  private static func resealed(index bytes: [UInt8]) -> [UInt8]? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      var header = bytes[..<end].withUnsafeBufferPointer({ IndexHeader($0) })
    else { return nil }
    var rest = bytes[(end + 1)...]
    func part(_ old: IndexHeader.Part) -> IndexHeader.Part {
      defer { rest = rest.dropFirst(old.count) }
      return IndexHeader.Part(Array(rest.prefix(old.count)))
    }
    header.blocks = part(header.blocks)
    header.common = part(header.common)
    header.table = part(header.table)
    return header.line + bytes[(end + 1)...]
  }

  private static let scratch = "/dev/shm/rewards-fuzz-\(getpid())"

  private static func write(_ bytes: [UInt8]) {
    let file = open(scratch, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(file >= 0 && Glibc.write(file, bytes, bytes.count) == bytes.count)
    Glibc.close(file)
  }
}
