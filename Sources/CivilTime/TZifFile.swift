/// The contents of a TZif file: the offsets between its transitions, and the rule for the time after the last one.
///
/// The format is RFC 9636. Of a file of version 2 or later, only the 64-bit block is read. Offset names and the
/// indicators of standard and universal time are skipped, since no date depends on them.
struct TZifFile {
  /// A change of offset: from `at` on, in seconds since 1970, local time is `offset` seconds ahead of UTC.
  struct Transition {
    let at: Int64
    let offset: Int64
  }

  /// The reason why bytes are not a usable TZif file.
  struct Malformed: Error {
    let what: String
  }

  /// The offset before the first transition.
  let firstOffset: Int64
  /// The transitions in ascending order, no two at the same second.
  let transitions: [Transition]
  /// The rule after the last transition; nil if its offset holds for ever.
  let rule: POSIXRule?

  /// Parses a whole file.
  init(_ bytes: [UInt8]) throws(Malformed) {
    guard bytes.count <= Zone.greatestFileBytes else {
      throw Malformed(what: "a TZif file of \(bytes.count) bytes")
    }
    var reader = BigEndianReader(bytes)
    var header = try Header(&reader)
    var timeSize = 4
    if header.version >= 2 {
      try reader.skip(header.blockSize(timeSize: 4))
      header = try Header(&reader)
      timeSize = 8
    }
    guard header.leapCount == 0 else {
      throw Malformed(what: "a TZif file that counts leap seconds")
    }
    (firstOffset, transitions) = try Self.readBlock(&reader, header, timeSize: timeSize)
    rule = header.version >= 2 ? try Self.readFooter(&reader) : nil
  }

  private static func readBlock(
    _ reader: inout BigEndianReader, _ header: Header, timeSize: Int
  ) throws(Malformed) -> (first: Int64, transitions: [Transition]) {
    var times = reader
    var indexes = reader
    try indexes.skip(header.timeCount * timeSize)
    var types = indexes
    try types.skip(header.timeCount)
    // Checked before anything is stored, so that a count larger than the file cannot cost memory.
    try reader.skip(header.blockSize(timeSize: timeSize))
    var offsets: [Int64] = []
    for _ in 0..<header.typeCount {
      let offset = try types.signed(bytes: 4)
      guard (-89_999...93_599).contains(offset) else {
        throw Malformed(what: "a TZif file with an offset of \(offset) seconds")
      }
      offsets.append(offset)
      try types.skip(2)
    }
    var transitions: [Transition] = []
    transitions.reserveCapacity(header.timeCount)
    for _ in 0..<header.timeCount {
      let at = try times.signed(bytes: timeSize)
      let type = Int(try indexes.signed(bytes: 1) & 0xFF)
      guard type < offsets.count else { throw Malformed(what: "a TZif file with a wrong type") }
      if let last = transitions.last, last.at >= at {
        throw Malformed(what: "a TZif file whose transitions do not ascend")
      }
      transitions.append(Transition(at: at, offset: offsets[type]))
    }
    return (offsets[0], transitions)
  }

  private static func readFooter(_ reader: inout BigEndianReader) throws(Malformed) -> POSIXRule? {
    let newline = Int64(UInt8(ascii: "\n"))
    guard try reader.signed(bytes: 1) == newline else {
      throw Malformed(what: "a TZif file without a footer")
    }
    var text: [UInt8] = []
    while true {
      let byte = try reader.signed(bytes: 1)
      if byte == newline { break }
      text.append(UInt8(truncatingIfNeeded: byte))
    }
    if text.isEmpty { return nil }
    guard let rule = POSIXRule(text) else {
      throw Malformed(what: "a TZif file with an unreadable rule in its footer")
    }
    return rule
  }
}

extension TZifFile {
  /// The 44-byte header before a block.
  private struct Header {
    let version: Int
    let timeCount: Int
    let typeCount: Int
    let leapCount: Int
    private let characterCount: Int
    private let indicatorCount: Int

    init(_ reader: inout BigEndianReader) throws(Malformed) {
      guard try reader.signed(bytes: 4) == 0x545A_6966 else {
        throw Malformed(what: "not a TZif file")
      }
      switch UInt8(truncatingIfNeeded: try reader.signed(bytes: 1)) {
      case 0: version = 1
      case UInt8(ascii: "2"): version = 2
      case UInt8(ascii: "3"): version = 3
      case UInt8(ascii: "4"): version = 4
      default: throw Malformed(what: "a TZif file of an unknown version")
      }
      try reader.skip(15)
      let universalCount = try reader.count()
      let standardCount = try reader.count()
      indicatorCount = universalCount + standardCount
      leapCount = try reader.count()
      timeCount = try reader.count()
      typeCount = try reader.count()
      characterCount = try reader.count()
      guard (1...256).contains(typeCount) else {
        throw Malformed(what: "a TZif file with \(typeCount) types of local time")
      }
    }

    func blockSize(timeSize: Int) -> Int {
      timeCount * (timeSize + 1) + typeCount * 6 + characterCount + leapCount * (timeSize + 4)
        + indicatorCount
    }
  }
}

/// A cursor over bytes that hold big-endian numbers. It never passes their end.
struct BigEndianReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Skips `count` bytes, 0 or more.
  mutating func skip(_ count: Int) throws(TZifFile.Malformed) {
    guard count <= bytes.count - position else { throw TZifFile.Malformed(what: "a cut TZif file") }
    position += count
  }

  /// Reads the next 1 to 8 bytes as a number in two's complement.
  mutating func signed(bytes width: Int) throws(TZifFile.Malformed) -> Int64 {
    let start = position
    try skip(width)
    var value = Int64(Int8(bitPattern: bytes[start]))
    for byte in bytes[start + 1..<position] { value = value << 8 | Int64(byte) }
    return value
  }

  /// Reads the next 4 bytes as an unsigned number.
  mutating func count() throws(TZifFile.Malformed) -> Int {
    Int(UInt32(truncatingIfNeeded: try signed(bytes: 4)))
  }
}
