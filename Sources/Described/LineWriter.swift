public import CivilTime
import StrictJSON

/// A writer of JSON on one line.
///
/// Never fails half-way. `problem` notes a value that does not fit or has no text, and the line must then be discarded.
public struct LineWriter: ~Copyable {
  @usableFromInline var start: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  private let limitBytes: Int
  /// The length of the line, in bytes.
  @usableFromInline var count = 0
  /// Why the line cannot be written; nil if it can.
  public private(set) var problem: String?
  // Most records of a batch share their days, so the ten bytes of a day's text are made once.
  @usableFromInline var lastDay: (number: Int32, head: UInt64, tail: UInt16) = (.min, 0, 0)

  /// Creates a writer of lines of at most `limitBytes` bytes.
  public init(limitBytes: Int = .max) {
    self.limitBytes = limitBytes
    capacity = min(limitBytes, 65_536)
    start = .allocate(capacity: capacity)
  }

  deinit { start.deallocate() }

  /// The bytes of the line so far.
  @inlinable public var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: start, count: count)
  }

  /// Begins a new line.
  public mutating func clear() {
    count = 0
    problem = nil
  }

  /// Notes why the line cannot be written; only the first cause is kept.
  public mutating func refuse(_ what: String) { problem = problem ?? what }

  /// Writes `text` unchanged.
  @inlinable
  public mutating func raw(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    guard makeRoom(length) else { return }
    let (source, next) = (text.utf8Start, start + count)
    for index in 0..<length { next[index] = source[index] }
    count += length
  }

  /// Writes bytes unchanged.
  @inlinable
  public mutating func raw(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { copy($0) }
  }

  /// Writes a member's name, after a comma if needed.
  @inlinable
  public mutating func name(_ name: StaticString) {
    let length = name.utf8CodeUnitCount
    guard makeRoom(length + 4) else { return }
    let source = name.utf8Start
    var next = start + count
    if needsComma {
      next[0] = UInt8(ascii: ",")
      next += 1
    }
    next[0] = UInt8(ascii: "\"")
    next += 1
    for index in 0..<length { next[index] = source[index] }
    next += length
    next[0] = UInt8(ascii: "\"")
    next[1] = UInt8(ascii: ":")
    count = next - start + 2
  }

  /// Writes the name of a member that is known only at run time.
  @inlinable
  public mutating func dynamicName(_ name: String) {
    if needsComma { raw(",") }
    string(name)
    raw(":")
  }

  /// Writes a text in quotes, escaped.
  @inlinable
  public mutating func string(_ value: String) {
    let isPlain = value.utf8.withContiguousStorageIfAvailable { utf8 in
      // No early exit, so that the loop has no branches.
      var special = false
      for byte in utf8 {
        special = special || byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F
      }
      if !special, makeRoom(utf8.count + 2) {
        put(UInt8(ascii: "\""))
        copy(utf8)
        put(UInt8(ascii: "\""))
      }
      return !special
    }
    if isPlain != true { escaped(value) }
  }

  /// Writes a whole number.
  @inlinable
  public mutating func natural(_ value: UInt64) {
    var length = 1
    var power: UInt64 = 10
    while length < 20, value >= power {
      length += 1
      power = length < 20 ? power * 10 : power
    }
    guard makeRoom(length) else { return }
    var rest = value
    for index in stride(from: count + length - 1, through: count, by: -1) {
      start[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += length
  }

  /// Writes a date in quotes.
  @inlinable
  public mutating func date(_ value: Day) {
    guard (Self.firstDay...Self.lastDay).contains(value.number) else {
      return refuse("a day is outside the years 1 to 9999")
    }
    raw("\"")
    dayText(value.number)
    raw("\"")
  }

  /// Writes an instant as ``InstantFormat`` does, reusing the text of the current day.
  @inlinable
  public mutating func instant(_ value: Instant, fraction: InstantFormat.Fraction) {
    guard value >= .earliest, value.seconds <= Instant.latest.seconds else {
      return refuse("an instant is outside the years 1 to 9999")
    }
    guard makeRoom(Self.longestInstantBytes) else { return }
    let sinceFirst = value.seconds - Instant.earliest.seconds
    let second = Int(sinceFirst % 86_400)
    put(UInt8(ascii: "\""))
    dayText(Int32(sinceFirst / 86_400) + Self.firstDay)
    put(UInt8(ascii: "T"))
    pair(second / 3_600)
    put(UInt8(ascii: ":"))
    pair(second / 60 % 60)
    put(UInt8(ascii: ":"))
    pair(second % 60)
    digits(of: value.nanoseconds, fraction)
    put(UInt8(ascii: "Z"))
    put(UInt8(ascii: "\""))
  }

  @usableFromInline static let longestInstantBytes = 32
  @usableFromInline static let firstDay = Int32(Instant.earliest.seconds / 86_400)
  @usableFromInline static let lastDay = Int32(Instant.latest.seconds / 86_400)

  @inlinable
  mutating func dayText(_ number: Int32) {
    if lastDay.number != number { cacheDay(number) }
    guard makeRoom(10) else { return }
    let place = UnsafeMutableRawPointer(start + count)
    place.storeBytes(of: lastDay.head, as: UInt64.self)
    place.storeBytes(of: lastDay.tail, toByteOffset: 8, as: UInt16.self)
    count += 10
  }

  /// Makes and keeps the text of a day in the years 1 to 9999.
  @usableFromInline
  mutating func cacheDay(_ number: Int32) {
    var text: [UInt8] = []
    Day(number: number).append(to: &text)
    assert(text.count == 10)
    lastDay = text.withUnsafeBytes {
      (
        number, $0.loadUnaligned(as: UInt64.self),
        $0.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
      )
    }
  }

  @inlinable
  mutating func digits(of nanoseconds: Int32, _ fraction: InstantFormat.Fraction) {
    var rest = nanoseconds
    var length = 9
    switch fraction {
    case .milliseconds: length = 3
    case .asNeeded:
      if rest == 0 { return }
      while rest % 10 == 0 {
        rest /= 10
        length -= 1
      }
      rest = nanoseconds
    }
    put(UInt8(ascii: "."))
    var scale: Int32 = 100_000_000
    for _ in 0..<length {
      put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / scale % 10))
      scale /= 10
    }
  }

  @usableFromInline
  mutating func escaped(_ value: String) {
    var writer = JSONWriter()
    writer.string(value)
    raw(writer.bytes)
  }

  @inlinable var needsComma: Bool { count > 0 && start[count - 1] != UInt8(ascii: "{") }

  @inline(__always)
  @inlinable
  mutating func pair(_ value: Int) {
    put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10))
    put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
  }

  /// Writes one byte; there must be room for it.
  @inline(__always)
  @inlinable
  mutating func put(_ byte: UInt8) {
    start[count] = byte
    count += 1
  }

  @inlinable
  mutating func copy(_ source: UnsafeBufferPointer<UInt8>) {
    guard let base = source.baseAddress, makeRoom(source.count) else { return }
    (start + count).update(from: base, count: source.count)
    count += source.count
  }

  /// Makes room for `length` more bytes; returns false if the line would become too long.
  @inlinable @inline(__always)
  mutating func makeRoom(_ length: Int) -> Bool { length <= capacity - count || grow(length) }

  @usableFromInline
  mutating func grow(_ length: Int) -> Bool {
    guard length <= limitBytes - count else {
      refuse("the line would be longer than \(limitBytes) bytes")
      return false
    }
    capacity = min(limitBytes, max(count + length, 2 * capacity))
    let wider = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    wider.update(from: start, count: count)
    start.deallocate()
    start = wider
    return true
  }
}

extension LineWriter {
  /// Writes a value that is already JSON, after checking that it is one object on one line.
  public mutating func json(_ text: String) {
    var text = text
    let problem: String? = text.withUTF8 { utf8 in
      if utf8.contains(where: { $0 < 0x20 }) { return "it holds a line break or a tab" }
      // One level less than a line may have, because the line itself is one.
      var reader = JSONReader(utf8, depthLimit: 31)
      do throws(JSONError) {
        if try reader.peek() != .object { return "it is not an object" }
        try reader.skipValue()
        try reader.finish()
        return nil
      } catch {
        return error.description
      }
    }
    if let problem { return refuse("the document cannot stand in a line: \(problem)") }
    raw(Array(text.utf8))
  }
}
