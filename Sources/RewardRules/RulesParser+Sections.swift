internal import Evidence
internal import StrictJSON

extension RulesParser {
  mutating func missions(_ root: DocumentSection) -> MissionRules? {
    guard let section = section("missions", of: root) else {
      guard !root.has("missions"), let missions = defaults?.missions else { return nil }
      for kind in missions.kinds.kinds {
        rewards.refer(to: missions[kind], path: "missions.\(kind.name)")
      }
      return missions
    }
    let names = ActivityKind.allCases.filter { $0 != .login }.map(\.name)
    var terms: [ActivityKind: RewardTerms] = [:]
    var durations: [ActivityKind: Int64] = [:]
    var titles: [ActivityKind: LocalizedText] = [:]
    for member in section.members {
      let path = section.path(of: member.key)
      if let kind = ActivityKind(name: member.key), kind != .login {
        (terms[kind], durations[kind], titles[kind]) =
          rewards.mission(member.value, of: kind, path: path)
      } else if OtherMission.reserved.contains(where: { $0.rawValue == member.key }) {
        reader.note(path, at: member.keyOffset, "this name is reserved and cannot be a mission")
      } else {
        let hint = NearestName.hint(for: member.key, among: names)
        let known = names.joined(separator: ", ")
        reader.note(path, at: member.keyOffset, "unknown mission\(hint) (there are \(known))")
      }
    }
    return MissionRules(terms, durations: durations, titles: titles)
  }

  func activity(_ root: DocumentSection) -> ActivityPolicy? {
    let section = section("activity", of: root)
    let counts = counting(section)
    let gap = int(
      "toleratedGapSeconds", of: section, in: 0...86_400,
      default: defaults?.activity.toleratedGapSeconds)
    let hours = int(
      "openEndHours", of: section, in: 1...168, default: defaults?.activity.openEndHours)
    let abandoned = int(
      "abandonedAfterHours", of: section, in: 1...8_760,
      default: max(hours ?? 0, ActivityPolicy.usualAbandonedAfterHours))
    section?.finish()
    guard let counts, let gap, let hours, let abandoned else { return nil }
    return ActivityPolicy(
      counts: counts, toleratedGapSeconds: gap, openEndHours: hours,
      abandonedAfterHours: abandoned)
  }

  private func counting(_ section: DocumentSection?) -> ActivityPolicy.Counting? {
    guard let section, let node = section.node("counts") else {
      if defaults == nil { section?.noteMissing("counts") }
      return defaults?.activity.counts
    }
    if let counting = node.string.flatMap(ActivityPolicy.Counting.init(rawValue:)) {
      return counting
    }
    section.note("counts", node, "expected \"overlaps\" or \"starts\"")
    return nil
  }

  func catalogue(_ root: DocumentSection) -> Catalogue? {
    guard let section = section("catalogue", of: root) else {
      let node = root.node("shop")
      guard !root.has("catalogue"), let catalogue = defaults?.catalogue else { return nil }
      if node == nil { return catalogue }
      return Catalogue(
        categories: catalogue.categories, shop: shop(root, of: catalogue.categories))
    }
    let categories = section.members.map { member in
      let path = section.path(of: member.key)
      if !RulesName.isValid(member.key) || member.key == RewardTerms.anyCategory {
        reader.note(
          path, at: member.keyOffset, "expected \(RulesName.description), other than \"*\"")
      }
      return Catalogue.Category(
        name: member.key, itemNames: itemNames(section.node(member.key), path: path))
    }
    return Catalogue(categories: categories, shop: shop(root, of: categories))
  }

  /// Returns the names of the categories that the shop sells; nil for all.
  private func shop(_ root: DocumentSection, of categories: [Catalogue.Category]) -> Set<String>? {
    guard let names = root.strings("shop") else { return nil }
    var sold: Set<String> = []
    for (index, name) in names.enumerated() {
      let offset = root.node("shop")?.elements?[index].offset ?? root.offset
      if !categories.contains(where: { $0.name == name }) {
        let hint = NearestName.hint(for: name, among: categories.map(\.name))
        reader.note(
          "shop[\(index)]", at: offset, "the catalogue has no category \"\(name)\"\(hint)")
      }
      if !sold.insert(name).inserted {
        reader.note("shop[\(index)]", at: offset, "is listed twice")
      }
    }
    return sold
  }

  private func itemNames(_ node: JSONNode?, path: String) -> [String] {
    guard let node, let elements = node.elements else {
      reader.note(path, at: node?.offset ?? 0, "expected an array of item names")
      return []
    }
    var names: [String] = []
    for (index, element) in elements.enumerated() {
      let place = "\(path)[\(index)]"
      guard let name = element.string, RulesName.isValid(name) else {
        reader.note(place, at: element.offset, "expected \(RulesName.description)")
        continue
      }
      if names.contains(name) { reader.note(place, at: element.offset, "is listed twice") }
      names.append(name)
    }
    return names
  }

  mutating func fallback(_ root: DocumentSection) -> RewardTerms? {
    guard let node = root.node("fallback") else {
      if defaults == nil { root.noteMissing("fallback") }
      return defaults?.fallback
    }
    return rewards.terms(node, path: "fallback", allowsItem: false)
  }

  func limits(_ root: DocumentSection) -> DailyLimits? {
    let section = section("limits", of: root)
    let amounts = 0...RulesDocument.maximumAmount
    let points = int(
      "pointsPerUserDay", of: section, in: amounts, default: defaults?.limits.pointsPerUserDay)
    let exp = int(
      "expPerUserDay", of: section, in: amounts, default: defaults?.limits.expPerUserDay)
    section?.finish()
    guard let points, let exp else { return nil }
    return DailyLimits(pointsPerUserDay: points, expPerUserDay: exp)
  }
}
