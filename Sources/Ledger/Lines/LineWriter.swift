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
  private var scratch: [UInt8] = []

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

  mutating func raw(_ text: StaticString) { raw(text.utf8Start, text.utf8CodeUnitCount) }

  mutating func raw(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { raw($0.baseAddress, $0.count) }
  }

  /// Writes the name of a member after the comma that it needs.
  mutating func name(_ name: StaticString) {
    raw(start[max(0, count - 1)] == UInt8(ascii: "{") ? "\"" : ",\"")
    raw(name)
    raw("\":")
  }

  /// Writes the name of a member that only the record knows.
  mutating func dynamicName(_ name: String) {
    if start[max(0, count - 1)] != UInt8(ascii: "{") { raw(",") }
    string(name)
    raw(":")
  }

  mutating func string(_ value: String) {
    raw("\"")
    var value = value
    let isPlain = value.withUTF8 { utf8 in
      for byte in utf8 where byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F {
        return false
      }
      raw(utf8.baseAddress, utf8.count)
      return true
    }
    if !isPlain { escaped(value) }
    raw("\"")
  }

  mutating func integer(_ value: Int64) {
    if value < 0 { raw("-") }
    natural(value.magnitude)
  }

  mutating func natural(_ value: UInt64) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = value
      var first = 20
      repeat {
        first -= 1
        digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      raw(UnsafePointer(digits.baseAddress.map { $0 + first }), 20 - first)
    }
  }

  mutating func instant(_ value: Instant, _ fraction: InstantFormat.Fraction = .asNeeded) {
    guard value >= .earliest, value.seconds <= Instant.latest.seconds else {
      return refuse("an instant is outside the years 1 to 9999")
    }
    scratch.removeAll(keepingCapacity: true)
    scratch.append(UInt8(ascii: "\""))
    InstantFormat.append(value, fraction: fraction, to: &scratch)
    scratch.append(UInt8(ascii: "\""))
    raw(scratch)
  }

  mutating func day(_ value: Day) {
    guard (Self.firstDay...Self.lastDay).contains(value.number) else {
      return refuse("a day is outside the years 1 to 9999")
    }
    scratch.removeAll(keepingCapacity: true)
    scratch.append(UInt8(ascii: "\""))
    value.append(to: &scratch)
    scratch.append(UInt8(ascii: "\""))
    raw(scratch)
  }

  private static let firstDay = Int32(Instant.earliest.seconds / 86_400)
  private static let lastDay = Int32(Instant.latest.seconds / 86_400)

  private mutating func escaped(_ value: String) {
    var writer = JSONWriter()
    writer.string(value)
    raw(Array(writer.bytes.dropFirst().dropLast()))
  }

  private mutating func raw(_ source: UnsafePointer<UInt8>?, _ length: Int) {
    guard let source, length > 0 else { return }
    guard length <= limitBytes - count else {
      return refuse("the line would be longer than \(limitBytes) bytes")
    }
    (start + count).update(from: source, count: length)
    count += length
  }
}
