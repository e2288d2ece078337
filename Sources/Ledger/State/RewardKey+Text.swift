import CivilTime
import Evidence
public import RewardRules

extension RewardKey {
  /// The key that `text` spells, without its user; nil for anything else (a waiver, an adjustment, a grant by hand).
  public init?(text: String) {
    // By bytes: characters would be taken apart for every grant of a ledger.
    let bytes = text.utf8
    let slash = UInt8(ascii: "/")
    guard let first = bytes.firstIndex(of: slash), let last = bytes.lastIndex(of: slash),
      first != last
    else { return nil }
    let middle = bytes[bytes.index(after: first)..<last]
    let name = bytes[bytes.index(after: last)...]
    if middle.elementsEqual("level".utf8) {
      guard let number = Int(Substring(name)), (2...Int(LevelRules.limit)).contains(number)
      else { return nil }
      self = .level(number)
      return
    }
    // A date has no slash: one in the middle makes it none.
    let day = middle.withContiguousStorageIfAvailable { LineInstant.day($0) } ?? nil
    guard let day = day ?? Day(String(Substring(middle))) else { return nil }
    if name.elementsEqual("login".utf8) {
      self = .login(day)
    } else if let kind = ActivityKind(name: Substring(name)) {
      self = .mission(day, kind)
    } else {
      return nil
    }
  }
}
