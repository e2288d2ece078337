internal import Evidence
internal import StrictJSON

/// A parser of the login streak section.
struct StreakParser {
  /// The values of missing keys; nil if none may be missing.
  let defaults: StreakRules?

  /// Returns the rules in `section`; nil if it notes a mistake.
  func parse(_ section: DocumentSection?, _ parser: inout RewardParser) -> StreakRules? {
    let countsAs = countsAs(section)
    let rewards = rewards(section, &parser)
    section?.finish()
    guard let countsAs, let rewards else { return nil }
    return StreakRules(countsAs: countsAs, rewards: rewards)
  }

  private func countsAs(_ section: DocumentSection?) -> KindSet? {
    guard let section, let node = section.node("countsAs") else {
      if defaults == nil { section?.noteMissing("countsAs") }
      return defaults?.countsAs
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
        section.reader.note(place, at: element.offset, "unknown kind\(hint) (there are \(known))")
        continue
      }
      if kinds.contains(kind) { section.reader.note(place, at: element.offset, "is listed twice") }
      kinds.insert(kind)
    }
    return kinds
  }

  private func rewards(
    _ section: DocumentSection?, _ parser: inout RewardParser
  ) -> [RewardTerms]? {
    guard let section, let node = section.node("rewards") else {
      if defaults == nil { section?.noteMissing("rewards") }
      guard let rewards = defaults?.rewards else { return nil }
      for (index, terms) in rewards.enumerated() {
        parser.refer(to: terms, path: "streak.rewards[\(index)]")
      }
      return rewards
    }
    let path = section.path(of: "rewards")
    guard let elements = node.elements else {
      section.reader.note(
        path, at: node.offset, "expected an array of 1 to \(StreakRules.longestCycle) rewards")
      return nil
    }
    if !(1...StreakRules.longestCycle).contains(elements.count) {
      section.reader.note(
        path, at: node.offset,
        "expected 1 to \(StreakRules.longestCycle) rewards, one for each cycle day, not \(elements.count)"
      )
    }
    var rewards: [RewardTerms] = []
    for (index, element) in elements.enumerated() {
      rewards.append(parser.terms(element, path: "\(path)[\(index)]"))
    }
    return rewards
  }
}
