internal import Evidence
internal import StrictJSON

/// A parser of the rewards in a rules document, which also collects the items they refer to.
struct RewardParser {
  /// A reference to an item of a category.
  private struct ItemReference {
    let path: String
    /// The byte offset of the value; nil if it is in the built-in rules rather than the document.
    let offset: Int?
    let choice: String
  }

  private let reader: DocumentReader
  private var references: [ItemReference] = []

  init(_ reader: DocumentReader) { self.reader = reader }

  /// Returns the terms in a reward object. The item in them is checked against the catalogue later.
  mutating func terms(_ node: JSONNode, path: String, allowsItem: Bool = true) -> RewardTerms {
    guard let section = reader.section(node, path: path) else { return RewardTerms() }
    defer { section.finish() }
    return terms(of: section, allowsItem: allowsItem)
  }

  /// Returns a mission's terms, and its minimum duration in minutes and its title if it has them.
  mutating func mission(
    _ node: JSONNode, of kind: ActivityKind, path: String
  ) -> (RewardTerms, minutes: Int64?, title: LocalizedText?) {
    guard let section = reader.section(node, path: path) else { return (RewardTerms(), nil, nil) }
    defer { section.finish() }
    let title = section.section("title").map { LocalizedText($0) }
    let minutes = section.int("minMinutes", in: 1...1_440)
    if let value = section.node("minMinutes"), !kind.lasts {
      let lasting = ActivityKind.allCases.filter(\.lasts).map(\.name).joined(separator: " and ")
      section.note(
        "minMinutes", value, "\(kind.name) has no duration; only \(lasting) have one")
      return (terms(of: section), nil, title)
    }
    return (terms(of: section), minutes, title)
  }

  private mutating func terms(of section: DocumentSection, allowsItem: Bool = true) -> RewardTerms {
    var terms = RewardTerms()
    terms.amounts = Amounts {
      section.int($0.rawValue, in: 0...RulesDocument.maximumAmount) ?? 0
    }
    terms.boosterDays = section.int("boosterDays", in: 0...3_650) ?? 0
    if let choice = section.string("item"), let value = section.node("item") {
      if allowsItem {
        terms.item = choice
        references.append(
          ItemReference(path: section.path(of: "item"), offset: value.offset, choice: choice))
      } else {
        section.note(
          "item", value, "the fallback is given when no item is left, so it cannot be an item")
      }
    }
    return terms
  }

  /// Records the item that built-in `terms` refer to.
  mutating func refer(to terms: RewardTerms, path: String) {
    guard let choice = terms.item else { return }
    references.append(ItemReference(path: "\(path).item", offset: nil, choice: choice))
  }

  /// Notes every reference to a category with no item in the catalogue.
  func check(against catalogue: Catalogue, at rootOffset: Int) {
    for reference in references where !catalogue.offers(reference.choice) {
      let choice = reference.choice
      var what: String
      if choice == RewardTerms.anyCategory {
        what =
          "\"*\" needs an item, but "
          + (catalogue.shop == nil ? "the catalogue has none" : "no category of the shop has one")
      } else if catalogue[choice] != nil {
        what = "the category \"\(choice)\" has no items in the catalogue"
      } else {
        let hint = NearestName.hint(for: choice, among: catalogue.categories.map(\.name))
        what = "the catalogue has no category \"\(choice)\"\(hint)"
      }
      if reference.offset == nil {
        what += " (a built-in default: set it, or add items to the catalogue)"
      }
      reader.note(reference.path, at: reference.offset ?? rootOffset, what)
    }
  }
}
