internal import StrictJSON

/// A place in a rules document that wants an item of a category.
struct ItemReference {
  let path: String
  /// The byte offset of the value; nil when it stands in the built-in rules, not in the document.
  let offset: Int?
  let choice: String
}

extension RulesParser {
  /// Notes every reference to which the catalogue has nothing to due.
  func checkReferences(_ catalogue: Catalogue?, at rootOffset: Int) {
    guard let catalogue else { return }
    for reference in references where !catalogue.offers(reference.choice) {
      let choice = reference.choice
      var what: String
      if choice == RewardTerms.anyCategory {
        what = "\"*\" needs an item, but the catalogue has none"
      } else if catalogue[choice] != nil {
        what = "the category \"\(choice)\" has no items in the catalogue"
      } else {
        let hint = NearestName.hint(for: choice, among: catalogue.categories.map(\.name))
        what = "the catalogue has no category \"\(choice)\"\(hint)"
      }
      if reference.offset == nil { what += " (a built-in value: write this section, or add items)" }
      reader.note(reference.path, at: reference.offset ?? rootOffset, what)
    }
  }

  /// Takes note of the item that built-in `terms` want.
  mutating func refer(to terms: RewardTerms, path: String) {
    guard let choice = terms.item else { return }
    references.append(ItemReference(path: "\(path).item", offset: nil, choice: choice))
  }
}
