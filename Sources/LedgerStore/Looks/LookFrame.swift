import CivilTime
public import Described
package import Evidence
import Foundations
import Ledger
package import Scheduling

/// The encoding of one journal entry: a user's history on a route, or how far the inbox is complete.
///
/// A frame is its payload's length, the payload, and a checksum of four bytes.
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
    var writer = BinaryWriter()
    _ = writer.integer(entryNumber)
    _ = writer.object(entry)
    if let reading = entry.history.reading { _ = writer.object(reading) }
    append(payload: writer.bytes, to: &bytes)
  }

  /// Appends a frame that states how far the inbox is complete.
  static func append(inboxThrough: Instant, to bytes: inout [UInt8]) {
    var writer = BinaryWriter()
    _ = writer.integer(inboxNumber)
    _ = writer.object(KeptInstant(inboxThrough))
    append(payload: writer.bytes, to: &bytes)
  }

  private static let entryNumber = 1
  private static let inboxNumber = 2

  private static func append(payload: [UInt8], to bytes: inout [UInt8]) {
    VariableNumber.append(signed: Int64(payload.count), to: &bytes)
    bytes += payload
    withUnsafeBytes(of: payload.checksum.littleEndian) { bytes += Array($0) }
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
        var next = offset
        guard let payload = payload(at: &next, in: bytes),
          let content = try? content(of: payload, users)
        else { break }
        body(content)
        offset = next
      }
      good += offset
      return (offset, false)
    }
    return good
  }

  /// The longest payload; a longer frame counts as damaged.
  private static let mostPayloadBytes = 1 << 20

  /// Returns the payload of the frame at `offset` and moves `offset` past the frame; nil if it is torn or damaged.
  private static func payload(
    at offset: inout Int, in bytes: UnsafeBufferPointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8>? {
    var start = offset
    guard let length = VariableNumber.readSigned(bytes, &start, before: bytes.count),
      (0...Int64(mostPayloadBytes)).contains(length), start + Int(length) + 4 <= bytes.count
    else { return nil }
    let end = start + Int(length)
    let payload = UnsafeBufferPointer(rebasing: bytes[start..<end])
    var sum: UInt32 = 0
    for index in 0..<4 { sum |= UInt32(bytes[end + index]) << (8 * UInt32(index)) }
    guard payload.checksum == sum else { return nil }
    offset = end + 4
    return payload
  }

  private static func content(
    of payload: UnsafeBufferPointer<UInt8>, _ users: Set<String>?
  ) throws(BinaryError) -> Content {
    var reader = BinaryReader(payload)
    switch try reader.integer(nil) as Int {
    case entryNumber:
      if let users {
        var ahead = reader
        if !users.contains(try ahead.text(nil)) { return .passedOver }
      }
      let entry = try LookEntry(&reader, nil)
      if reader.isAtEnd { return .entry(entry) }
      var history = entry.history
      history.reading = try CountReading(&reader, nil)
      return .entry(LookEntry(user: entry.user, source: entry.source, history: history))
    case inboxNumber: return .inboxThrough(try KeptInstant(&reader, nil).instant)
    default: throw BinaryError(description: "the frame has no known kind")
    }
  }
}

extension LookEntry: DescribedObject {
  /// Reads or writes the fields, in their order in a frame. A reading stands behind them, because frames are older than it.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    let known = value?.pointee.history
    let user = try coder.field("user", value?.pointee.user)
    let source = try coder.field("source", value?.pointee.source)
    var history = RouteHistory()
    for interval in try coder.field("coverage", known?.coverage.intervals) {
      history.coverage.cover(from: interval.from, to: interval.to)
    }
    history.latest = try coder.optional("latest", known?.latest.map(KeptActivity.init))?.activity
    history.decided = try coder.field("decided", known?.decided)
    history.failures = try coder.field("failures", known?.failures)
    history.looks = try coder.field("looks", known?.looks)
    self.init(user: user, source: source, history: history)
  }
}

extension Coverage.Interval: DescribedObject {
  /// Reads or writes the fields, in their order in a frame.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      from: try coder.kept("from", value?.pointee.from),
      to: try coder.kept("to", value?.pointee.to))
  }
}

extension RouteHistory.Failure: DescribedObject {
  /// Reads or writes the fields, in their order in a frame.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    self.init(
      at: try coder.kept("at", value?.pointee.at),
      cause: try coder.field("cause", value?.pointee.cause))
  }
}

extension CountReading: DescribedObject {
  /// Reads or writes the fields, in their order in a frame.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    let form = try coder.field("form", value.map { $0.pointee.isStated ? 2 : 1 })
    let count = try coder.field("value", value?.pointee.value)
    let from = try coder.kept("from", value?.pointee.from)
    let isDoubted = try coder.field("isDoubted", value.map { $0.pointee.doubted != nil })
    let doubted = try coder.field("doubted", value.map { $0.pointee.doubted ?? 0 })
    self.init(value: count, isStated: form == 2, from: from, doubted: isDoubted ? doubted : nil)
  }
}

/// An activity whose instants are kept as a frame holds them.
private struct KeptActivity: DescribedObject {
  let activity: Activity

  init(_ activity: Activity) { self.activity = activity }

  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    activity = Activity(
      kind: try coder.field("kind", value?.pointee.activity.kind),
      from: try coder.kept("from", value?.pointee.activity.from),
      to: try coder.kept("to", value?.pointee.activity.to),
      isOpen: try coder.field("open", value?.pointee.activity.isOpen))
  }
}

/// An instant in two numbers, as a frame holds it.
private struct KeptInstant: DescribedObject {
  let instant: Instant

  init(_ instant: Instant) { self.instant = instant }

  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    let seconds = try coder.field("seconds", value?.pointee.instant.seconds)
    let nanoseconds = try coder.field("nanoseconds", value?.pointee.instant.nanoseconds)
    instant = Instant(seconds: seconds, nanoseconds: min(max(0, nanoseconds), 999_999_999))
  }
}

extension FieldCoder where Self: ~Copyable {
  fileprivate mutating func kept(_ name: StaticString, _ instant: Instant?) throws(Failure)
    -> Instant
  { try field(name, instant.map(KeptInstant.init)).instant }
}

extension Sequence<UInt8> {
  /// FNV-1a: distinguishes a torn frame from a whole one.
  var checksum: UInt32 {
    reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}
