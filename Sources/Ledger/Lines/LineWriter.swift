import CivilTime
import Digests
import StrictJSON

/// Writes one line into a buffer of fixed size: the hot half of ``RecordEncoder``.
///
/// Never fails half-way: what has no place or no text is noted in `problem`, and the line must then be thrown away.
struct LineWriter: ~Copyable {
  private let start: UnsafeMutablePointer<UInt8>
  private let limitBytes: Int
  private(set) var count = 0
  private(set) var problem: String?
  // Most records of a batch share their days: a day's text is made once.
  private var lastDay: (number: Int32, text: [UInt8]) = (.min, [])

  init(limitBytes: Int) {
    self.limitBytes = limitBytes
    start = .allocate(capacity: limitBytes)
  }

  deinit { start.deallocate() }

  /// The bytes of the line so far.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

  /// Begins a new line.
  mutating func clear() {
    count = 0
    problem = nil
  }

  /// Notes why the line cannot be written; the first cause stays.
  mutating func refuse(_ what: String) { problem = problem ?? what }

  mutating func raw(_ text: StaticString) {
    guard makeRoom(text.utf8CodeUnitCount) else { return }
    for index in 0..<text.utf8CodeUnitCount { put(text.utf8Start[index]) }
  }

  mutating func raw(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { copy($0) }
  }

  /// Writes the name of a member after the comma that it needs.
  mutating func name(_ name: StaticString) {
    let length = name.utf8CodeUnitCount
    guard makeRoom(length + 4) else { return }
    if needsComma { put(UInt8(ascii: ",")) }
    put(UInt8(ascii: "\""))
    for index in 0..<length { put(name.utf8Start[index]) }
    put(UInt8(ascii: "\""))
    put(UInt8(ascii: ":"))
  }

  /// Writes the name of a member that only the record knows.
  mutating func dynamicName(_ name: String) {
    if needsComma { raw(",") }
    string(name)
    raw(":")
  }

  mutating func string(_ value: String) {
    let isPlain = value.utf8.withContiguousStorageIfAvailable { utf8 in
      // No early exit: the loop stays free of branches.
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

  mutating func integer(_ value: Int64) {
    if value < 0 { raw("-") }
    natural(value.magnitude)
  }

  mutating func natural(_ value: UInt64) {
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

  mutating func day(_ value: Day) {
    guard (Self.firstDay...Self.lastDay).contains(value.number) else {
      return refuse("a day is outside the years 1 to 9999")
    }
    raw("\"")
    dayText(value.number)
    raw("\"")
  }

  /// Writes an instant as ``InstantFormat`` does, with the text of the day at hand.
  mutating func instant(_ value: Instant, _ fraction: InstantFormat.Fraction = .asNeeded) {
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

  private static let longestInstantBytes = 32
  private static let firstDay = Int32(Instant.earliest.seconds / 86_400)
  private static let lastDay = Int32(Instant.latest.seconds / 86_400)

  private mutating func dayText(_ number: Int32) {
    if lastDay.number != number {
      var text: [UInt8] = []
      Day(number: number).append(to: &text)
      lastDay = (number, text)
    }
    raw(lastDay.text)
  }

  private mutating func digits(of nanoseconds: Int32, _ fraction: InstantFormat.Fraction) {
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

  private mutating func escaped(_ value: String) {
    var writer = JSONWriter()
    writer.string(value)
    raw(writer.bytes)
  }

  private var needsComma: Bool { count > 0 && start[count - 1] != UInt8(ascii: "{") }

  @inline(__always)
  private mutating func pair(_ value: Int) {
    put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10))
    put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
  }

  /// Writes one byte for which room was made.
  @inline(__always)
  private mutating func put(_ byte: UInt8) {
    start[count] = byte
    count += 1
  }

  private mutating func copy(_ source: UnsafeBufferPointer<UInt8>) {
    guard let base = source.baseAddress, makeRoom(source.count) else { return }
    (start + count).update(from: base, count: source.count)
    count += source.count
  }

  /// Whether `length` more bytes fit; else the line is too long.
  @inline(__always)
  private mutating func makeRoom(_ length: Int) -> Bool {
    if length <= limitBytes - count { return true }
    refuse("the line would be longer than \(limitBytes) bytes")
    return false
  }
}

extension LineWriter {
  /// Writes a member of an object.
  mutating func member(_ name: StaticString, _ value: some LineValue) {
    self.name(name)
    value.write(to: &self)
  }
}

extension LineWriter {
  /// Writes a value that is JSON already, after checking that it is one object on one line.
  mutating func json(_ text: String) {
    var text = text
    let problem: String? = text.withUTF8 { utf8 in
      if utf8.contains(where: { $0 < 0x20 }) { return "it holds a line break or a tab" }
      // One level less than a line may have: the line itself is one.
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
