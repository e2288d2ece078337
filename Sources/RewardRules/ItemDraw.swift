internal import Digests

/// A random draw of one item: a pure function of the secret, the user, the key, the catalogue and the items owned.
struct ItemDraw {
  let catalogue: Catalogue
  let secret: DrawSecret
  let user: String

  /// Returns the item for `choice` under `key`, as `CATEGORY/ITEM`; nil if the user owns everything on offer.
  func item(_ choice: String, key: RewardKey, owned: Set<String>) -> String? {
    guard let category = category(choice, key: key, owned: owned) else { return nil }
    let prefix = user + "/"
    var best: (item: String, code: Digest)?
    for item in category.items where !owned.contains(item) {
      let code = secret.code(prefix, item)
      if let best, best.code <= code { continue }
      best = (item, code)
    }
    return best?.item
  }

  private func category(
    _ choice: String, key: RewardKey, owned: Set<String>
  ) -> Catalogue.Category? {
    guard choice == RewardTerms.anyCategory else { return catalogue[choice] }
    let left = catalogue.sold.filter { category in
      category.items.contains { !owned.contains($0) }
    }
    if left.isEmpty { return nil }
    return left[Self.remainder(of: secret.code(key.text(user: user)), by: left.count)]
  }

  /// Returns the remainder of a code, as a big-endian number, divided by a small positive divisor.
  static func remainder(of code: Digest, by divisor: Int) -> Int {
    code.withBytes { $0.reduce(0) { ($0 << 8 | Int($1)) % divisor } }
  }
}
