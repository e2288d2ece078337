internal import Evidence
internal import StrictJSON

extension RulesParser {
  /// What a reward object promises; an item that it wants is checked against the catalogue later.
  mutating func terms(_ node: JSONNode, path: String, allowsItem: Bool = true) -> RewardTerms {
    var terms = RewardTerms()
    guard let section = reader.section(node, path: path) else { return terms }
    let amounts = 0...RulesDocument.maximumAmount
    terms.points = section.int("points", in: amounts) ?? 0
    terms.exp = section.int("exp", in: amounts) ?? 0
    terms.coins = section.int("coins", in: amounts) ?? 0
    terms.boosterDays = section.int("boosterDays", in: 0...3_650) ?? 0
    if let choice = section.string("item"), let value = section.node("item") {
      if allowsItem {
        terms.item = choice
        references.append(
          ItemReference(path: section.path(of: "item"), offset: value.offset, choice: choice))
      } else {
        section.note("item", value, "what is given when no item is left cannot be an item")
      }
    }
    section.finish()
    return terms
  }

  mutating func streak(_ root: DocumentSection) -> StreakRules? {
    let section = section("streak", of: root)
    let countsAs = countsAs(section)
    let rewards = streakRewards(section)
    section?.finish()
    guard let countsAs, let rewards else { return nil }
    return StreakRules(countsAs: countsAs, rewards: rewards)
  }

  private func countsAs(_ section: DocumentSection?) -> KindSet? {
    guard let section, let node = section.node("countsAs") else {
      if defaults == nil { section?.noteMissing("countsAs") }
      return defaults?.streak.countsAs
    }
    guard let elements = node.elements, !elements.isEmpty else {
      section.note("countsAs", node, "expected an array with at least one kind of activity")
      return nil
    }
    var kinds: KindSet = []
    for (index, element) in elements.enumerated() {
      let place = "\(section.path(of: "countsAs"))[\(index)]"
      guard let kind = element.string.flatMap({ ActivityKind(name: $0) }) else {
        let names = ActivityKind.allCases.map(\.name)
        let hint = NearestName.hint(for: element.string ?? "", among: names)
        let known = names.joined(separator: ", ")
        reader.note(place, at: element.offset, "unknown kind\(hint) (there are \(known))")
        continue
      }
      if kinds.contains(kind) { reader.note(place, at: element.offset, "stands twice") }
      kinds.insert(kind)
    }
    return kinds
  }

  private mutating func streakRewards(_ section: DocumentSection?) -> [RewardTerms]? {
    guard let section, let node = section.node("rewards") else {
      if defaults == nil { section?.noteMissing("rewards") }
      guard let rewards = defaults?.streak.rewards else { return nil }
      for (index, terms) in rewards.enumerated() {
        refer(to: terms, path: "streak.rewards[\(index)]")
      }
      return rewards
    }
    let path = section.path(of: "rewards")
    guard let elements = node.elements else {
      reader.note(path, at: node.offset, "expected an array of exactly seven rewards")
      return nil
    }
    if elements.count != StreakRules.cycleLength {
      reader.note(
        path, at: node.offset,
        "expected exactly seven rewards, one a cycle day, not \(elements.count)")
    }
    var rewards: [RewardTerms] = []
    for (index, element) in elements.enumerated() {
      rewards.append(terms(element, path: "\(path)[\(index)]"))
    }
    return rewards
  }

  mutating func levels(_ root: DocumentSection) -> LevelRules? {
    let section = section("levels", of: root)
    let caps = caps(section)
    let rewards = levelRewards(section)
    section?.finish()
    guard let caps, let rewards else { return nil }
    return LevelRules(caps: caps, rewards: rewards)
  }

  private func caps(_ section: DocumentSection?) -> [Int64]? {
    guard let section, let node = section.node("caps") else {
      if defaults == nil { section?.noteMissing("caps") }
      return defaults?.levels.caps
    }
    let path = section.path(of: "caps")
    let count = Int(LevelRules.highest) - 1
    guard let elements = node.elements else {
      reader.note(path, at: node.offset, "expected an array of \(count) numbers")
      return nil
    }
    if elements.count != count {
      reader.note(
        path, at: node.offset,
        "expected \(count) numbers, one for each level from 1 to \(count), not \(elements.count)")
    }
    let range = 1...RulesDocument.maximumAmount
    for (index, element) in elements.enumerated() {
      if let cap = element.int, range.contains(cap) { continue }
      reader.note(
        "\(path)[\(index)]", at: element.offset,
        "expected a whole number from 1 to \(range.upperBound): the exp that fills level \(index + 1)"
      )
    }
    return elements.compactMap(\.int)
  }

  private mutating func levelRewards(_ section: DocumentSection?) -> [RewardTerms?]? {
    guard let section, let node = section.node("rewards") else {
      if defaults == nil { section?.noteMissing("rewards") }
      guard let rewards = defaults?.levels.rewards else { return nil }
      for case (let level, let terms?) in rewards.enumerated() {
        refer(to: terms, path: "levels.rewards.\(level)")
      }
      return rewards
    }
    guard let levels = reader.section(node, path: section.path(of: "rewards")) else { return nil }
    let highest = Int(LevelRules.highest)
    var rewards = [RewardTerms?](repeating: nil, count: highest + 1)
    for member in levels.members {
      let path = levels.path(of: member.key)
      guard let level = Int(member.key), (2...highest).contains(level), "\(level)" == member.key
      else {
        reader.note(path, at: member.keyOffset, "expected a level from \"2\" to \"\(highest)\"")
        continue
      }
      rewards[level] = terms(member.value, path: path)
    }
    return rewards
  }
}
