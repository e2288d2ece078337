public import CivilTime
internal import Described

/// The zones in which users live or lived. Each keeps its index for good, in the order of first mention in the ledger.
public struct ZoneTable: Sendable {
  /// The zone names, by index.
  public internal(set) var names: [String] = []
  /// Since when each zone has had users, by zone name; zones without users are absent.
  public internal(set) var since: [String: Instant] = [:]
  private var indexByName: [String: Int32] = [:]
  private var populations: [Int] = []
  private var residents: [[Int32]] = []
  /// The accounts among a zone's residents that have left it.
  private var departed: [Set<Int32>] = []

  /// The name of the zone at `index`.
  public subscript(index: Int32) -> String { names[Int(index)] }

  /// Returns the index of a zone; nil if the ledger does not mention it.
  public func index(of name: String) -> Int32? { indexByName[name] }

  /// Returns how many users live in a zone.
  public func population(of zone: Int32) -> Int { populations[Int(zone)] }

  /// Returns the indices of the accounts that live or lived in a zone, each once, in no particular order.
  public func residents(of zone: Int32) -> [Int32] { residents[Int(zone)] }

  /// Returns the index of a zone, adding a new name at the end.
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

  /// Records that an account lives in a zone.
  mutating func settle(_ account: Int, in zone: Int32) {
    residents[Int(zone)].append(Int32(account))
  }

  /// Records that an account has moved.
  mutating func move(_ account: Int, from old: Int32, to new: Int32) {
    departed[Int(old)].insert(Int32(account))
    // An account that comes back is still among the residents.
    if departed[Int(new)].remove(Int32(account)) == nil { settle(account, in: new) }
  }

  /// Counts users in or out of a zone. Returns whether the zone has its first user, so that ``since`` must be set.
  mutating func populate(_ zone: Int32, by change: Int) -> Bool {
    populations[Int(zone)] += change
    guard populations[Int(zone)] == 0 else { return since[self[zone]] == nil }
    since[self[zone]] = nil
    return false
  }

  /// Rebuilds the rest from the names and accounts in a snapshot.
  mutating func restore(_ accounts: AccountPages) throws(BinaryError) {
    for name in names { _ = noteIndex(of: name) }
    for index in accounts.indices {
      let zone = accounts[index].zone
      guard residents.indices.contains(Int(zone)) else {
        throw BinaryError(description: "an account's zone is missing")
      }
      settle(index, in: zone)
      if accounts[index].isPresent { populations[Int(zone)] += 1 }
    }
  }
}
