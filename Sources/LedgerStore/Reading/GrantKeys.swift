internal import Foundations
internal import Glibc
internal import Ledger

/// The keys of a ledger's grants, for finding keys that were granted twice. Not thread-safe.
///
/// The keys are divided by hash into parts that are searched one by one. The parts of some ten million keys fit a processor's
/// cache, so that a key costs as much among many as among few. Beyond three million keys, each takes 32 bytes on disk, in an
/// unnamed file that disappears with the value. Memory then holds up to 200 MB, plus 48 bytes per key of a part and thread while
/// parts are searched: with a thousand million keys, 200 MB more per thread.
struct GrantKeys: Sendable {
  /// A key that was granted before.
  struct Repetition: Sendable {
    let seq: UInt64
    /// The segment's index, the line's number in it, from 1, and the line's first byte.
    let segment: Int
    let line: Int
    let byte: Int
    /// The line of the first grant with the key.
    let earlier: UInt64
  }

  /// How many keys memory holds; tests choose few.
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

  /// Adds the key of a grant; grants must be added in ledger order.
  mutating func add(_ mark: GrantMark, segment: Int, line: Int) throws(FileError) {
    // The high bits choose the part; within it, the low bits decide.
    parts[Int(mark.hash >> (64 - Self.partBits))].entries
      .append(Entry(mark, segment: segment, line: line))
    held += 1
    if held >= limits.held { try spill() }
  }

  /// Returns the keys that were granted before, in line order, except on lines in `undone`. Searches parts on `threads` threads.
  /// Blocks.
  func repetitions(but undone: [ClosedRange<UInt64>] = [], threads: Int) throws -> [Repetition] {
    try Concurrently.map(parts.count, threads: threads) { number in
      var entries = try entries(of: parts[number])
      if !undone.isEmpty { entries.removeAll { undone.takesBack($0.seq) } }
      return repetitions(in: entries)
    }.joined().sorted { ($0.segment, $0.byte) < ($1.segment, $1.byte) }
  }

  private func repetitions(in entries: [Entry]) -> [Repetition] {
    var found: [Repetition] = []
    // Maps a hash to the key's position among the entries, from 1; 0 marks a free place. At most half is occupied.
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
  /// The keys of a part, in line order: first those on disk.
  private struct Part: Sendable {
    var runs: [Range<Int>] = []
    var entries: [Entry] = []
  }

  /// One key with its place, in 32 bytes.
  private struct Entry: Sendable {
    let hash: UInt64
    /// 16 more hash bits, then the line's sequence number.
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

    /// Returns whether two keys are the same; among 100 million keys, the chance of a false match is 1 in 240 million.
    func isSameKey(as other: Entry) -> Bool { hash == other.hash && rest >> 48 == other.rest >> 48 }

    func repetition(of first: Entry) -> Repetition {
      Repetition(
        seq: seq, segment: Int(segment), line: Int(line), byte: byte,
        earlier: first.seq)
    }
  }
}

extension Int {
  /// The smallest power of two not below it; requires 1 or more.
  fileprivate var roundedUpToPowerOf2: Int { 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}

/// A file without a name, removed with its last holder.
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
    guard fileSystem.isOwned(path) else {
      fileSystem.close(file)
      throw FileError(
        operation: "open (the file belongs to another account)", path: path, code: EEXIST)
    }
    try fileSystem.remove(path)
  }

  private static let count = Lock(0)

  deinit { fileSystem.close(file) }
}
