import CivilTime
import Described
import StrictJSON

import func Glibc.memchr
import func Glibc.memcmp

/// Finds the frame of a line by byte positions, without parsing the rest.
///
/// Finds the encoder's own field order directly and parses a line in any other order as JSON. Keeps the text of the
/// last instant, which the records of a batch share. Not thread-safe.
struct LineScanner {
  private var lastAtText: (UInt64, UInt64, UInt64) = (0, 0, 0)
  private var lastAt: Instant?

  /// Returns the frame of `line`, given without its `\n`; nil if it is not a record.
  mutating func scan(_ line: UnsafeBufferPointer<UInt8>) -> LineFrame? {
    fast(line) ?? slow(line)
  }

  private mutating func fast(_ line: UnsafeBufferPointer<UInt8>) -> LineFrame? {
    // The shortest frame: {"seq":1,"at":"2026-11-20T00:00:00.000Z","type":"run"}
    guard line.count >= 54, line[line.count - 1] == UInt8(ascii: "}"),
      line.matches("{\"seq\":", at: 0)
    else { return nil }
    var index = 7
    guard let seq = sequence(line, &index), line.count >= index + 46,
      line.matches(",\"at\":\"", at: index),
      line.matches("\",\"type\":\"", at: index + 31)
    else { return nil }
    guard let at = instant(line, at: index + 7) else { return nil }
    index += 41
    guard let type = word(line, &index), let known = Self.types[type] else { return nil }
    let end = index + 1
    if known != .grant { return LineFrame(seq: seq, at: at, type: known, key: nil, end: end) }
    guard line.count > index + 9, line.matches("\",\"key\":\"", at: index) else { return nil }
    guard let key = line.plainText(from: index + 9) else { return nil }
    return LineFrame(seq: seq, at: at, type: known, key: key, end: end)
  }

  private func slow(_ line: UnsafeBufferPointer<UInt8>) -> LineFrame? {
    var reader = JSONReader(line)
    var seq: UInt64?
    var at: Instant?
    var type: String?
    var key: Range<Int>?
    do throws(JSONError) {
      try reader.readObject { (reader, name) throws(JSONError) in
        switch name {
        case "seq" where seq == nil: seq = try reader.readInteger()
        case "at" where at == nil: at = try reader.readInstant()
        case "type" where type == nil: type = try reader.readString()
        case "key" where key == nil: key = try reader.readRawString()
        case "seq", "at", "type", "key": throw .twice(try name.text(), at: name.offset)
        default: try reader.skipValue()
        }
      }
      try reader.finish()
    } catch {
      return nil
    }
    guard let seq, let at, let type else { return nil }
    let known = RecordType(rawValue: type)
    if known == .grant, key == nil { return nil }
    return LineFrame(seq: seq, at: at, type: known, key: known == .grant ? key : nil, end: nil)
  }

  /// Reads the digits at `index` and moves `index` past them.
  @inline(__always)
  private func sequence(_ line: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> UInt64? {
    let first = index
    var value: UInt64 = 0
    while index < line.count, index < first + 19 {
      let digit = line[index] &- UInt8(ascii: "0")
      if digit > 9 { break }
      value = value &* 10 &+ UInt64(digit)
      index += 1
    }
    return index == first || line[first] == UInt8(ascii: "0") ? nil : value
  }

  private mutating func instant(
    _ line: UnsafeBufferPointer<UInt8>, at index: Int
  ) -> Instant? {
    let raw = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(line)[index..<index + 24])
    let text = (
      raw.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
      raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
      raw.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    )
    if let lastAt, text == lastAtText { return lastAt }
    guard let at = LineInstant.instant(UnsafeBufferPointer(rebasing: line[index..<index + 24]))
    else { return nil }
    lastAtText = text
    lastAt = at
    return at
  }

  /// Reads the letters up to the next quote, packed into one word, and moves `index` to the quote. Nil for more than
  /// eight letters, and for a zero byte, which would be lost at the beginning of the word.
  @inline(__always)
  private func word(_ line: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> UInt64? {
    var packed: UInt64 = 0
    let first = index
    while index < line.count, index <= first + 8 {
      let letter = line[index]
      if letter == UInt8(ascii: "\"") { return packed }
      if letter == 0 { return nil }
      packed = packed << 8 | UInt64(letter)
      index += 1
    }
    return nil
  }
}

extension LineScanner {
  /// Every type by its packed letters; no name has more than eight.
  private static let types = TypeTable()

  private struct TypeTable {
    private var words: [(packed: UInt64, type: RecordType)] = []

    init() {
      // The most frequent types come first, because the search is linear.
      let frequent: [RecordType] = [.grant, .evidence, .seal, .streak]
      for type in frequent + RecordType.allCases.filter({ !frequent.contains($0) }) {
        words.append((type.rawValue.utf8.reduce(0) { $0 << 8 | UInt64($1) }, type))
      }
    }

    subscript(packed: UInt64) -> RecordType? {
      for word in words where word.packed == packed { return word.type }
      return nil
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Returns whether `text` is at `index`; false beyond the end.
  @inline(__always)
  func matches(_ text: StaticString, at index: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard index + length <= count, let baseAddress else { return false }
    return memcmp(baseAddress + index, text.utf8Start, length) == 0
  }

  /// Returns the range of the text from `start` to its closing quote; nil if it has escapes or no end.
  @inline(__always)
  func plainText(from start: Int) -> Range<Int>? {
    guard start < count, let baseAddress,
      let quote = memchr(baseAddress + start, Int32(UInt8(ascii: "\"")), count - start)
    else { return nil }
    let end = UnsafeRawPointer(quote) - UnsafeRawPointer(baseAddress)
    return memchr(baseAddress + start, Int32(UInt8(ascii: "\\")), end - start) == nil
      ? start..<end : nil
  }
}

/// The beginning of a line, plus a grant's key: all that a check of the chain needs.
struct LineFrame {
  let seq: UInt64
  let at: Instant
  /// The type; nil if this version does not know it.
  let type: RecordType?
  /// Where a grant's key is in the line, without its quotes. If ``end`` is known, the key has no escapes.
  let key: Range<Int>?
  /// Where the frame ends, after the type, in a line with the encoder's own field order; otherwise nil.
  let end: Int?

  /// Returns a reader positioned past the frame in `line`; nil if ``end`` is nil.
  func rest(of line: UnsafeBufferPointer<UInt8>) -> JSONReader? {
    end.map { JSONReader(line, insideObjectAt: $0) }
  }
}
