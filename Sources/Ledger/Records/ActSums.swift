public import Described
internal import RewardRules

/// What the records add up to that name one act: how many there are, and what they give in each unit, less what they take.
public struct ActSums: Sendable, Equatable {
  /// The number of records.
  public private(set) var records: Int64 = 0
  /// What they give of `points`, `exp`, `coins`, `items`, `boosterDays`, or `boosters`, which have an end instead; without zeros.
  private var amounts: [String: Int64] = [:]

  /// What they give on the whole, by the names of its parts; without what they take.
  public var given: DayCredits.Sums { amounts.filter { $0.value > 0 } }

  /// Creates the sums of no records.
  public init() {}

  /// Adds a record that names the act.
  public mutating func add(_ body: RecordBody) {
    records += 1
    switch body {
    case .user(let user):
      guard let opening = user.opening else { break }
      add(opening.amounts, items: opening.items.count)
      add("boosters", opening.boosterUntil == nil ? 0 : 1)
    case .credit(let record):
      add(record.credit.amounts, items: record.credit.items.count)
      add("boosterDays", record.credit.boosterDays)
    case .grant(let grant):
      add(grant.reward.amounts, items: grant.reward.items.count - grant.removedItems.count)
      add("boosters", grant.reward.booster == nil ? 0 : 1)
    case .reversal(let reversal):
      add(reversal.reward.amounts, items: reversal.reward.items.count - reversal.removedItems.count)
    default: break
    }
  }

  /// Adds the sums of other records that name the act.
  public mutating func add(_ other: ActSums) {
    records += other.records
    for (unit, amount) in other.amounts { add(unit, amount) }
  }

  private mutating func add(_ given: Amounts, items: Int) {
    for unit in RewardUnit.allCases { add(unit.rawValue, given[unit]) }
    add("items", Int64(items))
  }

  /// Sums do not pass 64 bits: a ledger that claims so much is wrong anyway, and must not stop its reader.
  private mutating func add(_ unit: String, _ amount: Int64) {
    let sum = (amounts[unit] ?? 0).addingSaturated(amount)
    amounts[unit] = sum == 0 ? nil : sum
  }
}

extension ActSums: Described {
  /// Reads or writes an object of numbers, `records` first.
  public static func code<C: Medium>(
    _ value: ActSums?, with coder: inout C
  ) throws(C.Failure) -> ActSums {
    let rows = try coder.table(
      value.map { sums in
        [(name: "records", value: sums.records)]
          + sums.amounts.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
      })
    var sums = ActSums()
    for row in rows where row.name != "records" { sums.amounts[row.name] = row.value }
    sums.records = rows.first { $0.name == "records" }?.value ?? 0
    return sums
  }
}

extension ActSums: CustomStringConvertible {
  /// The sums in words, as in `3 records, points 300, items 1`.
  public var description: String {
    (["\(records) \(records == 1 ? "record" : "records")"]
      + amounts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
      .joined(separator: ", ")
  }
}
