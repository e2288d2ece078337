import CivilTime
import Described
import Evidence
import Foundations
import Ledger
import Scheduling

/// The encoding of one journal entry: a user's history on a route, or how far the inbox is complete.
///
/// A frame is its payload's length, the payload, and a checksum of four bytes. Whole numbers are encoded in groups of seven bits.
/// The file is a cache: its form may change with any version.
enum LookFrame {
  /// The content of a frame.
  enum Content {
    case entry(LookEntry)
    /// A history of a user who was not requested.
    case passedOver
    case inboxThrough(Instant)
  }

  /// The bytes at the beginning of the file.
  static let magic = Array("looks 2\n".utf8)

  /// Appends the frame of `entry`.
  static func append(_ entry: LookEntry, to bytes: inout [UInt8]) {
    var writer = FrameWriter()
    writer.number(1)
    writer.text(entry.user)
    writer.number(Int64(entry.source.rawValue))
    let history = entry.history
    writer.number(Int64(history.coverage.intervals.count))
    for interval in history.coverage.intervals {
      writer.instant(interval.from)
      writer.instant(interval.to)
    }
    writer.number(history.latest == nil ? 0 : 1)
    if let latest = history.latest {
      writer.number(Int64(latest.kind.rawValue))
      writer.instant(latest.from)
      writer.instant(latest.to)
      writer.number(latest.isOpen ? 1 : 0)
    }
    writer.number(Int64(history.decided.count))
    for mark in history.decided { writer.number(Int64(mark)) }
    writer.number(Int64(history.failures.count))
    for failure in history.failures {
      writer.instant(failure.at)
      writer.text(failure.cause.rawValue)
    }
    writer.number(Int64(history.looks))
    if let reading = history.reading {
      writer.number(reading.isStated ? 2 : 1)
      writer.number(reading.value)
      writer.instant(reading.from)
      writer.number(reading.doubted == nil ? 0 : 1)
      writer.number(reading.doubted ?? 0)
    }
    writer.finish(into: &bytes)
  }

  /// Appends a frame that states how far the inbox is complete.
  static func append(inboxThrough: Instant, to bytes: inout [UInt8]) {
    var writer = FrameWriter()
    writer.number(2)
    writer.instant(inboxThrough)
    writer.finish(into: &bytes)
  }

  /// Reads a file's frames in order, block by block, up to the first that is torn or damaged; returns how many bytes are good.
  ///
  /// Skips histories of users outside `users`; nil requests everyone's.
  static func read(
    _ file: OpenFile, _ fileSystem: any FileSystem, of users: Set<String>? = nil,
    _ body: (Content) -> Void
  ) throws -> Int {
    var good = 0
    let whole = 0..<(try fileSystem.size(of: file))
    let blocks = BlockReader(fileSystem: fileSystem, blockBytes: 2 * mostPayloadBytes)
    _ = try blocks.read(file, whole) { bytes in
      var offset = 0
      if good == 0 {
        guard bytes.starts(with: magic) else { return (0, true) }
        offset = magic.count
      }
      while offset < bytes.count {
        var reader = FrameReader(UnsafeBufferPointer(rebasing: bytes[offset...]))
        guard let content = reader.content(of: users) else { break }
        body(content)
        offset += reader.frameBytes
      }
      good += offset
      return (offset, false)
    }
    return good
  }

  /// The longest payload; a longer frame counts as damaged.
  fileprivate static let mostPayloadBytes = 1 << 20
}

/// Encodes one frame.
private struct FrameWriter {
  private var payload: [UInt8] = []

  mutating func number(_ value: Int64) { VariableNumber.append(signed: value, to: &payload) }

  mutating func text(_ value: String) {
    number(Int64(value.utf8.count))
    payload += Array(value.utf8)
  }

  mutating func instant(_ value: Instant) {
    number(value.seconds)
    number(Int64(value.nanoseconds))
  }

  func finish(into bytes: inout [UInt8]) {
    VariableNumber.append(signed: Int64(payload.count), to: &bytes)
    bytes += payload
    withUnsafeBytes(of: payload.checksum.littleEndian) { bytes += Array($0) }
  }
}

/// Decodes one frame.
private struct FrameReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var offset = 0
  /// The end of the payload; reading stops there.
  private var end: Int
  private(set) var frameBytes = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    end = bytes.count
  }

  /// Returns the frame's content; nil if it is torn or damaged.
  mutating func content(of users: Set<String>?) -> LookFrame.Content? {
    guard let length = number(), length >= 0, length <= LookFrame.mostPayloadBytes,
      offset + Int(length) + 4 <= bytes.count
    else { return nil }
    end = offset + Int(length)
    let payload = UnsafeBufferPointer(rebasing: bytes[offset..<end])
    var sum: UInt32 = 0
    for index in 0..<4 { sum |= UInt32(bytes[end + index]) << (8 * UInt32(index)) }
    guard payload.checksum == sum else { return nil }
    frameBytes = end + 4
    switch number() {
    case 1:
      guard let user = text() else { return nil }
      if let users, !users.contains(user) { return .passedOver }
      return entry(of: user).map { .entry($0) }
    case 2: return instant().map { .inboxThrough($0) }
    default: return nil
    }
  }

  private mutating func entry(of user: String) -> LookEntry? {
    guard let raw = number(), let route = Source(rawValue: UInt8(clamping: raw)),
      let count = number()
    else { return nil }
    var history = RouteHistory()
    for _ in 0..<max(0, count) {
      guard let from = instant(), let to = instant() else { return nil }
      history.coverage.cover(from: from, to: to)
    }
    if number() == 1 {
      guard let raw = number(), let kind = ActivityKind(rawValue: UInt8(clamping: raw)),
        let from = instant(), let to = instant(), let isOpen = number()
      else { return nil }
      history.latest = Activity(kind: kind, from: from, to: to, isOpen: isOpen == 1)
    }
    guard let marks = number() else { return nil }
    for _ in 0..<max(0, marks) {
      guard let mark = number() else { return nil }
      history.decided.append(UInt32(truncatingIfNeeded: mark))
    }
    guard let failures = number() else { return nil }
    for _ in 0..<max(0, failures) {
      guard let at = instant(), let name = text(), let cause = FailureCause(rawValue: name) else {
        return nil
      }
      history.failures.append(RouteHistory.Failure(at: at, cause: cause))
    }
    guard let looks = number() else { return nil }
    history.looks = Int32(clamping: looks)
    if let form = number() {
      guard let value = number(), let from = instant(), let isDoubted = number(),
        let doubted = number()
      else { return nil }
      history.reading = CountReading(
        value: value, isStated: form == 2, from: from, doubted: isDoubted == 1 ? doubted : nil)
    }
    return LookEntry(user: user, source: route, history: history)
  }

  private mutating func number() -> Int64? {
    VariableNumber.readSigned(bytes, &offset, before: end)
  }

  private mutating func text() -> String? {
    guard let count = number(), count >= 0, offset + Int(count) <= end else { return nil }
    let text = UnsafeBufferPointer(rebasing: bytes[offset..<offset + Int(count)])
    offset += Int(count)
    // Nearly all are ASCII, which needs no validation.
    if text.allSatisfy({ $0 < 0x80 }) { return String(decoding: text, as: UTF8.self) }
    return String(validating: text, as: UTF8.self)
  }

  private mutating func instant() -> Instant? {
    guard let seconds = number(), let nanoseconds = number(),
      (0..<1_000_000_000).contains(nanoseconds)
    else { return nil }
    return Instant(seconds: seconds, nanoseconds: Int32(nanoseconds))
  }
}

extension Sequence<UInt8> {
  /// FNV-1a: distinguishes a torn frame from a whole one.
  fileprivate var checksum: UInt32 {
    reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}
