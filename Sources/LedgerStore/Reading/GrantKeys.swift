internal import Files
internal import Glibc
internal import Ledger
internal import Threading

/// The keys of a ledger's grants, to find those that were granted twice: in memory while they are few, further ones sorted on
/// the disk.
///
/// Memory stays under some hundred megabytes; the disk takes 32 bytes for each further key, in a file without a name that is
/// gone with the value. Not thread-safe.
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

  /// One key with its place, in 32 bytes.
  struct Entry: Sendable, Comparable {
    let hash: UInt64
    /// 16 more bits of the hash, then the line's sequence number.
    let rest: UInt64
    /// The segment's index in 16 bits, then the line's first byte.
    let place: UInt64
    let line: UInt64

    static let seqBits: UInt64 = 1 << 48 - 1

    var seq: UInt64 { rest & Self.seqBits }

    init(_ mark: GrantMark, segment: Int, line: Int) {
      hash = mark.hash
      rest = UInt64(mark.moreHash) << 48 | mark.seq & Self.seqBits
      place = UInt64(segment) << 48 | UInt64(mark.byte) & Self.seqBits
      self.line = UInt64(line)
    }

    func isSameKey(as other: Entry) -> Bool { hash == other.hash && rest >> 48 == other.rest >> 48 }

    static func < (left: Entry, right: Entry) -> Bool {
      (left.hash, left.rest) < (right.hash, right.rest)
    }
  }

  /// How many keys are looked up in memory, and how many further ones are sorted at once; tests choose few.
  struct Limits: Sendable {
    var known = 2_600_000
    var sorted = 1_000_000
  }

  private let limits: Limits
  private let fileSystem: any FileSystem
  private var known = GrantKeySet()
  private var held: [Entry] = []
  private var file: KeyFile?
  private var runs: [Range<Int>] = []

  init(_ fileSystem: any FileSystem, _ limits: Limits = Limits()) {
    self.fileSystem = fileSystem
    self.limits = limits
  }

  /// Adds a key with its place; returns the line of the first grant under it where that is known already, else nil.
  mutating func add(_ mark: GrantMark, segment: Int, line: Int) throws(FileError) -> UInt64? {
    if known.count < limits.known { return known.insert(mark) }
    if let earlier = known.holder(of: mark) { return earlier }
    held.append(Entry(mark, segment: segment, line: line))
    if held.count >= limits.sorted { try spill() }
    return nil
  }

  /// The keys that were granted before and were not told of yet, in the order of the lines.
  func repetitions() throws(FileError) -> [Repetition] {
    var found: [Repetition] = []
    var first: Entry?
    func note(_ entry: Entry) {
      guard let holder = first, holder.isSameKey(as: entry) else {
        first = entry
        return
      }
      found.append(
        Repetition(
          seq: entry.seq, segment: Int(entry.place >> 48), line: Int(entry.line),
          byte: Int(entry.place & Entry.seqBits), earlier: holder.seq))
    }
    let rest = held.sorted()
    guard let file else {
      for entry in rest { note(entry) }
      return found.sorted { $0.seq < $1.seq }
    }
    var readers = runs.map { RunReader(file: file, range: $0, fileSystem: fileSystem) }
    readers.append(RunReader(held: rest))
    for index in readers.indices { try readers[index].fill() }
    // Few runs: to look at each one's next is as fast as a heap.
    while let next = readers.indices.filter({ readers[$0].next != nil }).min(by: {
      guard let left = readers[$0].next, let right = readers[$1].next else { return false }
      return left < right
    }), let entry = readers[next].next {
      note(entry)
      try readers[next].advance()
    }
    return found.sorted { $0.seq < $1.seq }
  }

  private mutating func spill() throws(FileError) {
    let file: KeyFile
    if let known = self.file { file = known } else { file = try KeyFile(fileSystem) }
    self.file = file
    held.sort()
    let from = runs.last?.upperBound ?? 0
    let result = held.withUnsafeBytes { bytes in
      Result { () throws(FileError) in try fileSystem.writeAll(bytes, to: file.file) }
    }
    try result.get()
    runs.append(from..<from + held.count * MemoryLayout<Entry>.stride)
    held.removeAll(keepingCapacity: true)
  }
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

/// Reads one sorted run in blocks.
private struct RunReader {
  private static let blockEntries = 8_192

  private let file: KeyFile?
  private var range: Range<Int>
  private let fileSystem: (any FileSystem)?
  private var block: ArraySlice<GrantKeys.Entry>
  /// The next entry; nil at the end.
  var next: GrantKeys.Entry? { block.first }

  init(file: KeyFile, range: Range<Int>, fileSystem: any FileSystem) {
    self.file = file
    self.range = range
    self.fileSystem = fileSystem
    block = []
  }

  init(held: [GrantKeys.Entry]) {
    file = nil
    range = 0..<0
    fileSystem = nil
    block = held[...]
  }

  mutating func advance() throws(FileError) {
    block.removeFirst()
    if block.isEmpty { try fill() }
  }

  mutating func fill() throws(FileError) {
    guard block.isEmpty, let file, let fileSystem, !range.isEmpty else { return }
    let stride = MemoryLayout<GrantKeys.Entry>.stride
    let end = min(range.upperBound, range.lowerBound + Self.blockEntries * stride)
    let bytes = try fileSystem.bytes(of: file.file, in: range.lowerBound..<end)
    range = end..<range.upperBound
    block = bytes.withUnsafeBytes { raw in ArraySlice(raw.bindMemory(to: GrantKeys.Entry.self)) }
  }
}
