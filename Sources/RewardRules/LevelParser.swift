internal import StrictJSON

/// A parser of the levels section.
struct LevelParser {
  /// The values of missing keys; nil if none may be missing.
  let defaults: LevelRules?

  /// Returns the rules in `section`; nil if it notes a mistake.
  func parse(_ section: DocumentSection?, _ parser: inout RewardParser) -> LevelRules? {
    let caps = caps(section)
    let highest = caps.map { Int32(max($0.count, 1)) + 1 } ?? LevelRules.limit
    let rewards = rewards(section, upTo: Int(highest), &parser)
    section?.finish()
    guard let caps, let rewards else { return nil }
    return LevelRules(caps: caps, rewards: rewards)
  }

  private func caps(_ section: DocumentSection?) -> [Int64]? {
    guard let section, let node = section.node("caps") else {
      if defaults == nil { section?.noteMissing("caps") }
      return defaults?.caps
    }
    let path = section.path(of: "caps")
    let count = 1...Int(LevelRules.limit) - 1
    guard let elements = node.elements else {
      section.reader.note(
        path, at: node.offset,
        "expected an array of \(count.lowerBound) to \(count.upperBound) numbers")
      return nil
    }
    if !count.contains(elements.count) {
      section.reader.note(
        path, at: node.offset,
        "expected \(count.lowerBound) to \(count.upperBound) numbers, not \(elements.count): the exp that "
          + "fills each level before the highest")
    }
    let range = 1...RulesDocument.maximumAmount
    for (index, element) in elements.enumerated() {
      if let cap = element.int, range.contains(cap) { continue }
      section.reader.note(
        "\(path)[\(index)]", at: element.offset,
        "expected a whole number from 1 to \(range.upperBound): the exp that fills level \(index + 1)"
      )
    }
    return elements.compactMap(\.int)
  }

  private func rewards(
    _ section: DocumentSection?, upTo highest: Int, _ parser: inout RewardParser
  ) -> [RewardTerms?]? {
    guard let section, let node = section.node("rewards") else {
      if defaults == nil { section?.noteMissing("rewards") }
      // Levels beyond a shorter table give nothing.
      guard let rewards = defaults?.rewards.prefix(highest + 1) else { return nil }
      for case (let level, let terms?) in rewards.enumerated() {
        parser.refer(to: terms, path: "levels.rewards.\(level)")
      }
      return Array(rewards)
    }
    guard let levels = section.reader.section(node, path: section.path(of: "rewards")) else {
      return nil
    }
    var rewards = [RewardTerms?](repeating: nil, count: highest + 1)
    for member in levels.members {
      let path = levels.path(of: member.key)
      guard let level = Int(member.key), (2...highest).contains(level), "\(level)" == member.key
      else {
        section.reader.note(
          path, at: member.keyOffset,
          "expected a level from \"2\" to \"\(highest)\", because \"caps\" has \(highest - 1) numbers"
        )
        continue
      }
      rewards[level] = parser.terms(member.value, path: path)
    }
    return rewards
  }
}
