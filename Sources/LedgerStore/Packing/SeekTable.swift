internal import Foundations
internal import Glibc

/// The positions of a packed file's frames, stored in its last, skippable frame.
///
/// The Zstandard Seekable Format 0.1.0 (facebook/zstd, `contrib/seekable_format`), without checksums of its own: every other
/// program sees an ordinary `.zst` file and skips the table. All numbers are little-endian.
struct SeekTable: Equatable, Sendable {
  /// One frame: its position in the file, and which bytes of the original it holds.
  struct Frame: Equatable, Sendable {
    var packed: Range<Int>
    var original: Range<Int>
  }

  private(set) var frames: [Frame] = []

  /// Creates an empty table.
  init() {}

  /// The length of the original.
  var originalBytes: Int { frames.last?.original.upperBound ?? 0 }
  /// The length of all frames.
  var packedBytes: Int { frames.last?.packed.upperBound ?? 0 }

  /// Adds the next frame.
  mutating func append(packed: Int, original: Int) {
    frames.append(
      Frame(
        packed: packedBytes..<packedBytes + packed,
        original: originalBytes..<originalBytes + original))
  }

  /// Returns the frame that holds the original's byte `offset`; nil beyond the end.
  func frame(at offset: Int) -> Frame? {
    var low = 0
    var high = frames.count
    while low < high {
      let middle = (low + high) / 2
      if frames[middle].original.upperBound <= offset { low = middle + 1 } else { high = middle }
    }
    return low < frames.count ? frames[low] : nil
  }

  private static let footerBytes = 9
  private static let headerBytes = 8
  private static let entryBytes = 8
  private static let skippableMagic: UInt32 = 0x184D_2A5E
  private static let seekableMagic: UInt32 = 0x8F92_EAB1
  /// More frames than any segment has.
  private static let frameLimit = 1 << 20
  /// More bytes of the original than any frame holds, so that a damaged table cannot claim huge amounts of memory.
  private static let frameBytesLimit = 16 << 20

  /// The table's bytes, as they stand at the end of the file.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func add(_ number: UInt32) { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
    add(Self.skippableMagic)
    add(UInt32(frames.count * Self.entryBytes + Self.footerBytes))
    for frame in frames {
      add(UInt32(frame.packed.count))
      add(UInt32(frame.original.count))
    }
    add(UInt32(frames.count))
    bytes.append(0)
    add(Self.seekableMagic)
    return bytes
  }

  /// Reads the table at the end of a file of `size` bytes; nil if no table there fits the file.
  init?(size: Int, read: (Range<Int>) throws(FileError) -> [UInt8]) throws(FileError) {
    guard size >= Self.headerBytes + Self.footerBytes else { return nil }
    let footer = try read(size - Self.footerBytes..<size)
    guard footer.count == Self.footerBytes, Self.number(footer, at: 5) == Self.seekableMagic,
      footer[4] == 0
    else { return nil }
    let count = Int(Self.number(footer, at: 0))
    let length = Self.headerBytes + count * Self.entryBytes + Self.footerBytes
    guard count <= Self.frameLimit, length <= size else { return nil }
    let table = try read(size - length..<size)
    guard table.count == length, Self.number(table, at: 0) == Self.skippableMagic,
      Int(Self.number(table, at: 4)) == length - Self.headerBytes
    else { return nil }
    for index in 0..<count {
      let entry = Self.headerBytes + index * Self.entryBytes
      let original = Int(Self.number(table, at: entry + 4))
      guard original <= Self.frameBytesLimit else { return nil }
      append(packed: Int(Self.number(table, at: entry)), original: original)
    }
    guard packedBytes + length == size else { return nil }
  }

  private static func number(_ bytes: [UInt8], at index: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[index + $1]) << UInt32(8 * $1) }
  }
}
