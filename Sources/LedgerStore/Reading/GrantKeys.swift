internal import Files
internal import Glibc
internal import Ledger
internal import Threading

/// The keys of a ledger's grants, to find those that were granted twice.
///
/// Their hashes divide them into parts, of which each is searched by itself: those of some ten million keys fit a processor's cache,
/// so that a key costs as much among many as among few. Beyond three million the disk takes 32 bytes for each, in a file without
/// a name that is gone with the value. In memory there are then up to 200 MB, and while parts are searched 48 bytes for each key of
/// a part and thread: 200 MB more with a thousand million keys on each. Not thread-safe.
struct GrantKeys: Sendable {
  /// A key that was granted before.
  struct Repetition: Sendable {
    let seq: UInt64
    /// The index of the segment, the line in it, from 1, and the line's first byte.
    let segment: Int
    let line: Int
    let byte: Int
    /// The line of the first grant under the key.
    let earlier: UInt64
  }

  /// How many keys are held in memory; tests choose few.
  struct Limits: Sendable {
    var held = 3_000_000
  }

  private static let partBits: UInt64 = 8

  private let limits: Limits
  private let fileSystem: any FileSystem
  private var parts: [Part] = Array(repeating: Part(), count: 1 << partBits)
  private var held = 0
  private var file: KeyFile?
  private var spilledBytes = 0

  init(_ fileSystem: any FileSystem, _ limits: Limits = Limits()) {
    self.fileSystem = fileSystem
    self.limits = limits
  }

  /// Adds the key of the grant that follows, in the ledger, those that were added before.
  mutating func add(_ mark: GrantMark, segment: Int, line: Int) throws(FileError) {
    // Its high bits choose the part; within that, the low ones decide.
    parts[Int(mark.hash >> (64 - Self.partBits))].entries
      .append(Entry(mark, segment: segment, line: line))
    held += 1
    if held >= limits.held { try spill() }
  }

  /// The keys that were granted before, in the order of their lines, but for lines in `undone`; parts are searched on `threads`
  /// threads. Blocks.
  func repetitions(but undone: [ClosedRange<UInt64>] = [], threads: Int) throws -> [Repetition] {
    try Concurrently.map(parts.count, threads: threads) { number in
      var entries = try entries(of: parts[number])
      if !undone.isEmpty { entries.removeAll { undone.takesBack($0.seq) } }
      return repetitions(in: entries)
    }.joined().sorted { ($0.segment, $0.byte) < ($1.segment, $1.byte) }
  }

  private func repetitions(in entries: [Entry]) -> [Repetition] {
    var found: [Repetition] = []
    // By its hash, where a key stands among the entries, from 1; 0 for nobody. At most half of it is taken.
    var places = [UInt32](repeating: 0, count: max(2, entries.count * 2).roundedUpToPowerOf2)
    let mask = places.count - 1
    next: for place in entries.indices {
      let entry = entries[place]
      var slot = Int(truncatingIfNeeded: entry.hash) & mask
      while places[slot] != 0 {
        let first = entries[Int(places[slot]) - 1]
        if first.isSameKey(as: entry) {
          found.append(entry.repetition(of: first))
          continue next
        }
        slot = (slot + 1) & mask
      }
      places[slot] = UInt32(place + 1)
    }
    return found
  }

  private func entries(of part: Part) throws(FileError) -> [Entry] {
    guard let file, !part.runs.isEmpty else { return part.entries }
    var entries: [Entry] = []
    let bytes = part.runs.reduce(0) { $0 + $1.count }
    entries.reserveCapacity(bytes / MemoryLayout<Entry>.stride + part.entries.count)
    for run in part.runs {
      let bytes = try fileSystem.bytes(of: file.file, in: run)
      bytes.withUnsafeBytes { entries += $0.bindMemory(to: Entry.self) }
    }
    entries += part.entries
    return entries
  }

  private mutating func spill() throws(FileError) {
    let file: KeyFile
    if let known = self.file { file = known } else { file = try KeyFile(fileSystem) }
    self.file = file
    for number in parts.indices where !parts[number].entries.isEmpty {
      let end = spilledBytes
      let result = parts[number].entries.withUnsafeBytes { bytes in
        spilledBytes += bytes.count
        return Result { () throws(FileError) in try fileSystem.writeAll(bytes, to: file.file) }
      }
      try result.get()
      parts[number].runs.append(end..<spilledBytes)
      parts[number].entries.removeAll(keepingCapacity: true)
    }
    held = 0
  }
}

extension GrantKeys {
  /// The keys of a part, in the order of their lines: first those on the disk.
  private struct Part: Sendable {
    var runs: [Range<Int>] = []
    var entries: [Entry] = []
  }

  /// One key with its place, in 32 bytes.
  private struct Entry: Sendable {
    let hash: UInt64
    /// 16 more bits of the hash, then the line's sequence number.
    let rest: UInt64
    /// The line's first byte in its segment, and its number there.
    let byte: Int
    let line: UInt32
    /// The segment's index.
    let segment: UInt32

    static let seqBits: UInt64 = 1 << 48 - 1

    init(_ mark: GrantMark, segment: Int, line: Int) {
      hash = mark.hash
      rest = UInt64(mark.moreHash) << 48 | mark.seq & Self.seqBits
      byte = mark.byte
      self.line = UInt32(clamping: line)
      self.segment = UInt32(clamping: segment)
    }

    var seq: UInt64 { rest & Self.seqBits }

    /// Among 100 million keys the chance that two different ones are taken for one is 1 in 240 million.
    func isSameKey(as other: Entry) -> Bool { hash == other.hash && rest >> 48 == other.rest >> 48 }

    func repetition(of first: Entry) -> Repetition {
      Repetition(
        seq: seq, segment: Int(segment), line: Int(line), byte: byte,
        earlier: first.seq)
    }
  }
}

extension Int {
  /// The least power of two that is not below it; of 1 or more.
  fileprivate var roundedUpToPowerOf2: Int { 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}

/// A file without a name, gone with its last holder.
private final class KeyFile: Sendable {
  let file: OpenFile
  private let fileSystem: any FileSystem

  init(_ fileSystem: any FileSystem) throws(FileError) {
    self.fileSystem = fileSystem
    let number = Self.count.withLock { count in
      count += 1
      return count
    }
    let path = "/var/tmp/rewards-keys.\(getpid()).\(number)"
    file = try fileSystem.open(path, for: .replace)
    guard DataDirectory.isOwned(path) else {
      fileSystem.close(file)
      throw FileError(operation: "open (another's file)", path: path, code: EEXIST)
    }
    try fileSystem.remove(path)
  }

  private static let count = Lock(0)

  deinit { fileSystem.close(file) }
}
