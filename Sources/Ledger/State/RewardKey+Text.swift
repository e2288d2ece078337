import CivilTime
internal import Described
import Evidence
public import RewardRules

extension RewardKey {
  /// Parses a key without its user; nil for anything else (a waiver, an adjustment, a manual grant).
  public init?(text: String) {
    var text = text
    guard let key = text.withUTF8({ Self.read($0) }) else { return nil }
    self = key
  }

  // Works on bytes, because this runs for every grant of a ledger and splitting characters is slow.
  private static func read(_ text: UnsafeBufferPointer<UInt8>) -> RewardKey? {
    let slash = UInt8(ascii: "/")
    guard let first = text.firstIndex(of: slash), let last = text.lastIndex(of: slash),
      first != last
    else { return nil }
    let middle = UnsafeBufferPointer(rebasing: text[first + 1..<last])
    let name = UnsafeBufferPointer(rebasing: text[(last + 1)...])
    if let kind = ActivityKind(utf8: name) {
      return day(middle).map { kind == .login ? .login($0) : .mission($0, kind) }
    }
    guard middle.elementsEqual("level".utf8),
      let number = Int(String(decoding: name, as: UTF8.self)),
      (2...Int(LevelRules.limit)).contains(number)
    else { return nil }
    return .level(number)
  }

  /// Parses a date; nil for text with a slash in it, which is not one.
  private static func day(_ text: UnsafeBufferPointer<UInt8>) -> Day? {
    LineInstant.day(text) ?? Day(String(decoding: text, as: UTF8.self))
  }
}
