public import CivilTime
import Described

/// A line's time, type and user, found by byte positions alone, for readers that skip most lines.
public struct LineOutline {
  /// Where the time is, without its quotes. Nothing says that it is one.
  private let at: Range<Int>
  /// Where the type is, without its quotes.
  public let type: Range<Int>
  /// Where the user's id is; nil for lines about no user, and for lines with another beginning, which may be about any user.
  public let user: Range<Int>?

  /// Creates the outline of `line`, given without its `\n`; nil for lines that our encoder did not write.
  public init?(_ line: UnsafeBufferPointer<UInt8>) {
    // {"seq":1,"at":"2026-11-20T00:00:00.000Z","type":"run"
    guard line.count >= 54, line.matches("{\"seq\":", at: 0) else { return nil }
    var index = 7
    while index < 27, line[index] != UInt8(ascii: ",") { index += 1 }
    guard line.count > index + 48, line.matches(",\"at\":\"", at: index),
      line.matches("\",\"type\":\"", at: index + 31)
    else { return nil }
    let start = index + 41
    guard let type = line.plainText(from: start) else { return nil }
    self.type = type
    at = index + 7..<index + 31
    let isImpersonal = RecordType.impersonalNames.contains { name in
      name.utf8CodeUnitCount == type.count && line.matches(name, at: start)
    }
    user = isImpersonal ? nil : Self.user(in: line, after: type.upperBound)
  }

  /// Returns when the line was recorded; nil if it does not say so in the encoder's form.
  public func instant(in line: UnsafeBufferPointer<UInt8>) -> Instant? {
    LineInstant.instant(UnsafeBufferPointer(rebasing: line[at]))
  }

  /// Most lines name the user right after the type; grants and reversals do so after their key.
  private static func user(
    in line: UnsafeBufferPointer<UInt8>, after end: Int
  ) -> Range<Int>? {
    var end = end
    if line.count > end + 12, line.matches("\",\"key\":\"", at: end) {
      guard let key = line.plainText(from: end + 9) else { return nil }
      end = key.upperBound
    }
    guard line.count > end + 12, line.matches("\",\"user\":\"", at: end) else { return nil }
    return line.plainText(from: end + 10)
  }
}
