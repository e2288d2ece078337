/// The items that can be drawn, by category, in the order of the rules.
public struct Catalogue: Sendable, Equatable {
  /// One category with its items.
  public struct Category: Sendable, Equatable {
    /// The category's name.
    public let name: String
    /// Its items as `CATEGORY/ITEM`, in the order of the rules.
    public let items: [String]

    /// Creates a category from the bare names of its items.
    init(name: String, itemNames: [String]) {
      self.name = name
      items = itemNames.map { "\(name)/\($0)" }
    }
  }

  /// The categories in the order of the rules.
  public let categories: [Category]
  /// The names of the categories that the shop sells, from which ``RewardTerms/anyCategory`` draws; nil for all.
  let shop: Set<String>?

  /// The categories that the shop sells, in the order of the rules.
  var sold: [Category] { categories.filter { shop?.contains($0.name) ?? true } }

  /// Returns whether there is anything to draw for `choice`, a category name or ``RewardTerms/anyCategory``.
  func offers(_ choice: String) -> Bool {
    if choice == RewardTerms.anyCategory { return sold.contains { !$0.items.isEmpty } }
    return self[choice]?.items.isEmpty == false
  }

  /// Returns whether it holds `item`, given as `CATEGORY/ITEM`.
  public func holds(_ item: String) -> Bool { categories.contains { $0.items.contains(item) } }

  /// The category with this name; nil if there is none.
  public subscript(name: String) -> Category? { categories.first { $0.name == name } }
}
