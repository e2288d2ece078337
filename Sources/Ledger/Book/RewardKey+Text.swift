import CivilTime
import Evidence
public import RewardRules

extension RewardKey {
  /// The key that `text` spells, without its user; nil for anything else (a waiver, an adjustment, a grant by hand).
  public init?(text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    if parts[1] == "level" {
      guard let number = Int(parts[2]), (2...30).contains(number) else { return nil }
      self = .level(number)
      return
    }
    guard let day = Day(String(parts[1])) else { return nil }
    if parts[2] == "login" {
      self = .login(day)
    } else if let kind = ActivityKind(name: parts[2]) {
      self = .mission(day, kind)
    } else {
      return nil
    }
  }
}
