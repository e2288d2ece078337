import Ledger

/// What a telling leaves in the ledger.
struct Outcome: Equatable {
  var balances: [Balance?] = []
  var net: [String: NetReward] = [:]

  /// In which keys and users two outcomes differ, in words.
  func differences(from other: Outcome) -> [String] {
    var differences: [String] = []
    for key in Set(net.keys).union(other.net.keys).sorted() where net[key] != other.net[key] {
      differences.append("\(key): \(show(net[key])) != \(show(other.net[key]))")
    }
    for (mine, theirs) in zip(balances, other.balances) where mine != theirs {
      differences.append("\(show(mine)) != \(show(theirs))")
    }
    return differences
  }

  private func show(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "nothing" }
}
