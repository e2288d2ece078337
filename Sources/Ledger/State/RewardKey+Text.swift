import CivilTime
internal import Described
import Evidence
public import RewardRules

extension RewardKey {
  /// Creates the key that `text` spells, without its user; nil for anything else (a waiver, an adjustment, a grant by hand).
  public init?(text: String) {
    var text = text
    guard let key = text.withUTF8({ Self.read($0) }) else { return nil }
    self = key
  }

  // By bytes: every grant of a ledger is asked, and characters would be taken apart.
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

  /// Returns a date has no slash: one in the middle makes it none.
  private static func day(_ text: UnsafeBufferPointer<UInt8>) -> Day? {
    LineInstant.day(text) ?? Day(String(decoding: text, as: UTF8.self))
  }
}
