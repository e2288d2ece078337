public import CivilTime
internal import Digests

/// What a user received or spent elsewhere: exp from a bought card, an item or a booster from the shop, points paid for them.
public struct Credit: Hashable, Sendable {
  /// When it takes effect.
  public var effective: Instant
  /// The exp, never multiplied by a booster, 0 or more; the points and coins, negative if spent.
  public var amounts: Amounts
  /// Items, as `CATEGORY/ITEM`.
  public var items: [String]
  /// The duration of a booster in days of 24 hours, 0 or more.
  public var boosterDays: Int64
  /// When the booster was bought, if that is before ``effective``; nil otherwise.
  public var boughtAt: Instant?

  /// Creates a credit.
  public init(
    effective: Instant, points: Int64 = 0, exp: Int64 = 0, coins: Int64 = 0, items: [String] = [],
    boosterDays: Int64 = 0
  ) {
    self.effective = effective
    amounts = Amounts()
    (amounts.points, amounts.exp, amounts.coins) = (points, exp, coins)
    self.items = items
    self.boosterDays = boosterDays
  }

  /// Whether days may be judged differently because of it. Points and coins change no grant.
  public var changesDays: Bool { amounts.exp != 0 || !items.isEmpty || boosterDays != 0 }

  /// Whether it gives and takes nothing.
  public var isEmpty: Bool { amounts.isZero && !changesDays }

  /// What it gives, by the names of its parts; without what it takes. Of items, their number.
  public var given: [String: Int64] {
    var given: [String: Int64] = [:]
    for unit in RewardUnit.allCases where amounts[unit] > 0 {
      given[unit.rawValue] = amounts[unit]
    }
    if !items.isEmpty { given["items"] = Int64(items.count) }
    if boosterDays > 0 { given["boosterDays"] = boosterDays }
    return given
  }

  /// The names of everything that a credit may give or take.
  public static let partNames =
    RewardUnit.allCases.map(\.rawValue) + ["items", "boosterDays"]

  /// The names of the parts that it has.
  public var parts: [String] {
    RewardUnit.allCases.filter { amounts[$0] != 0 }.map(\.rawValue)
      + (items.isEmpty ? [] : ["items"]) + (boosterDays == 0 ? [] : ["boosterDays"])
  }

  /// Returns the credit of a user who is judged from `first` on. It counts from then at the earliest; its booster has been running.
  public func counted(from first: Instant) -> Credit {
    guard effective < first else { return self }
    var credit = self
    credit.boughtAt = effective
    credit.effective = first
    return credit
  }

  /// Returns whether it counts before `other`. Of those from before the first day, the one bought earlier does.
  public func counts(before other: Credit) -> Bool {
    (effective, boughtAt ?? effective) < (other.effective, other.boughtAt ?? other.effective)
  }

  /// A number that distinguishes the contents from others: the first 8 bytes of a hash. Snapshots hold it, so it must stay as it is.
  public var fingerprint: UInt64 {
    let stated = RewardUnit.allCases.filter { amounts[$0] != 0 }
      .map { "\($0.rawValue) \(amounts[$0])" }
    let text = (["\(effective)", "\(boosterDays)"] + stated + items.sorted())
      .joined(separator: "\n")
    return SHA256.digest(of: Array(text.utf8)).bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// What it gives and takes, in words, e.g. `-300 points, booster days: 1`; `nothing` if it is empty.
  public var summary: String {
    var parts = amounts.shortText.map { [$0] } ?? []
    if boosterDays != 0 { parts.append("booster days: \(boosterDays)") }
    parts += items
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }
}
