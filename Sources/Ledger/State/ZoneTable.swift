public import CivilTime
internal import Described

/// The zones in which users live or lived: each has an index for good, in the order in which the ledger named them.
public struct ZoneTable: Sendable {
  /// Zone names by index.
  public internal(set) var names: [String] = []
  /// Since when each zone has had users, by zone name; zones without users are missing.
  public internal(set) var since: [String: Instant] = [:]
  private var indexByName: [String: Int32] = [:]
  private var populations: [Int] = []
  private var residents: [[Int32]] = []
  /// The accounts among the residents of a zone that have left it.
  private var departed: [Set<Int32>] = []

  /// The name of the zone at `index`.
  public subscript(index: Int32) -> String { names[Int(index)] }

  /// Returns the index of a zone, nil for one that the ledger does not name.
  public func index(of name: String) -> Int32? { indexByName[name] }

  /// Returns how many users live in a zone.
  public func population(of zone: Int32) -> Int { populations[Int(zone)] }

  /// Returns the accounts that live in a zone, or did, by index, each once, in no order.
  public func residents(of zone: Int32) -> [Int32] { residents[Int(zone)] }

  /// Returns the index of a zone, new names at the end.
  mutating func intern(_ name: String) -> Int32 {
    if let index = indexByName[name] { return index }
    names.append(name)
    return noteIndex(of: name)
  }

  private mutating func noteIndex(of name: String) -> Int32 {
    let index = Int32(populations.count)
    indexByName[name] = index
    populations.append(0)
    residents.append([])
    departed.append([])
    return index
  }

  /// Notes that an account lives in a zone.
  mutating func settle(_ account: Int, in zone: Int32) {
    residents[Int(zone)].append(Int32(account))
  }

  /// Notes that an account has moved.
  mutating func move(_ account: Int, from old: Int32, to new: Int32) {
    departed[Int(old)].insert(Int32(account))
    // Whoever comes back stands there still.
    if departed[Int(new)].remove(Int32(account)) == nil { settle(account, in: new) }
  }

  /// Counts a user in or out of a zone. Returns whether the zone has its first one by that: since when, ``since`` must be told.
  mutating func populate(_ zone: Int32, by change: Int) -> Bool {
    populations[Int(zone)] += change
    guard populations[Int(zone)] == 0 else { return since[self[zone]] == nil }
    since[self[zone]] = nil
    return false
  }

  /// Makes the rest from the names and the accounts that a snapshot holds.
  mutating func restore(_ accounts: AccountPages) throws(BinaryError) {
    for name in names { _ = noteIndex(of: name) }
    for index in accounts.indices {
      let zone = accounts[index].zone
      guard residents.indices.contains(Int(zone)) else {
        throw BinaryError(description: "the zone of an account is missing")
      }
      settle(index, in: zone)
      if accounts[index].isPresent { populations[Int(zone)] += 1 }
    }
  }
}
