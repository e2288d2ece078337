import func Glibc.memcmp

/// The bytes between a JSON string's quotes, with escapes unresolved.
@usableFromInline
struct JSONStringContent {
  @usableFromInline let range: Range<Int>
  @usableFromInline let hasEscape: Bool
}

/// The name of an object member, compared without making a `String`.
public struct JSONKey {
  @usableFromInline let bytes: UnsafeBufferPointer<UInt8>
  @usableFromInline let content: JSONStringContent

  /// The offset of the key's first byte.
  public var offset: Int { content.range.lowerBound }

  /// Returns whether the key is `name`, with the key's escapes resolved.
  @inlinable @inline(__always)
  public static func ~= (name: StaticString, key: JSONKey) -> Bool {
    // Most names differ from most keys in length, which takes no call to compare.
    if key.content.range.count != name.utf8CodeUnitCount, !key.content.hasEscape { return false }
    return key.isNamed(name)
  }

  /// Returns whether the key is `name`. Their lengths are equal unless the key has an escape.
  @usableFromInline
  func isNamed(_ name: StaticString) -> Bool {
    if content.hasEscape { return (try? text()) == name.description }
    guard let base = bytes.baseAddress else { return false }
    return memcmp(base + content.range.lowerBound, name.utf8Start, name.utf8CodeUnitCount) == 0
  }

  /// Returns the key as text, with escapes resolved; throws on half a surrogate pair.
  public func text() throws(JSONError) -> String {
    if !content.hasEscape {
      return String(decoding: bytes[content.range], as: UTF8.self)
    }
    var units: [UInt8] = []
    units.reserveCapacity(content.range.count)
    var index = content.range.lowerBound
    while index < content.range.upperBound {
      if bytes[index] != UInt8(ascii: "\\") {
        units.append(bytes[index])
        index += 1
        continue
      }
      try appendEscape(at: &index, to: &units)
    }
    return String(decoding: units, as: UTF8.self)
  }

  private func appendEscape(at index: inout Int, to units: inout [UInt8]) throws(JSONError) {
    let letter = bytes[index + 1]
    index += 2
    switch letter {
    case UInt8(ascii: "b"): units.append(0x08)
    case UInt8(ascii: "f"): units.append(0x0C)
    case UInt8(ascii: "n"): units.append(0x0A)
    case UInt8(ascii: "r"): units.append(0x0D)
    case UInt8(ascii: "t"): units.append(0x09)
    case UInt8(ascii: "u"):
      var scalar = hexUnit(at: index)
      index += 4
      if scalar & 0xFC00 == 0xD800, index + 6 <= content.range.upperBound,
        bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
      {
        let low = hexUnit(at: index + 2)
        if low & 0xFC00 == 0xDC00 {
          scalar = 0x10000 + ((scalar & 0x3FF) << 10) + (low & 0x3FF)
          index += 6
        }
      }
      guard let character = Unicode.Scalar(scalar) else {
        throw JSONError(offset: index, what: "half a surrogate pair")
      }
      units.append(contentsOf: UTF8.encode(character) ?? .init())
    default: units.append(letter)
    }
  }

  private func hexUnit(at index: Int) -> UInt32 {
    var value: UInt32 = 0
    for position in index..<index + 4 {
      let digit = bytes[position]
      let nibble = digit <= UInt8(ascii: "9") ? digit & 0x0F : (digit & 0x0F) + 9
      value = value << 4 | UInt32(nibble)
    }
    return value
  }
}
