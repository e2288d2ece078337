package import CivilTime
package import RewardRules

/// What people gave, by month, door and person, beside what evidence gave in the same months.
///
/// A month is that of the records' own time, in UTC.
package struct GivenByHand: Sendable, Equatable {
  /// The ways to give something without evidence, in display order.
  package enum Door: String, Sendable, CaseIterable {
    /// A grant by hand.
    case gift
    /// Credits that a person handed in.
    case credit
    /// Credits that a configured source handed in, which is no person.
    case source
    /// Opening balances of new users.
    case opening
    /// Days that had ended when a user was imported.
    case endedDays
    /// Grants that a limit had held back.
    case release
    /// Everything else that plans and reversals gave, less what they took.
    case plan
    /// What plans let users keep although it was no longer due.
    case waiver
    /// Grants given back after a reversal.
    case undoing
    /// Days that were excused without an outage.
    case pardon
    /// Rules documents put into use.
    case rules
    /// Activities that a person handed in. What they earned is counted as given by evidence.
    case activity

    /// The door in words.
    package var title: String {
      switch self {
      case .gift, .release, .plan, .waiver, .pardon, .rules, .source: rawValue
      case .credit: "credit line"
      case .opening: "opening balance"
      case .endedDays: "ended days"
      case .undoing: "reversal undone"
      case .activity: "activities"
      }
    }

    /// The position in display order.
    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// A number of records, and what they gave. Sums saturate.
  package struct Sums: Sendable, Equatable {
    /// The number of records.
    package var records: Int64 = 0
    /// The amounts; negative where plans took more than they gave.
    package var amounts = Amounts()
    /// The number of items.
    package var items: Int64 = 0
    /// The duration of boosters, in days.
    package var boosterDays: Int64 = 0
    /// Days of users that were pardoned, or had ended.
    package var days: Int64 = 0

    /// Creates sums of zero.
    package init() {}

    /// Creates sums of parts by their names, without records.
    package init(_ parts: [String: Int64]) {
      amounts = Amounts { parts[$0.rawValue] ?? 0 }
      items = parts["items"] ?? 0
      boosterDays = parts["boosterDays"] ?? 0
    }

    /// Adds both.
    package static func += (left: inout Sums, right: Sums) {
      left.records = left.records.addingSaturated(right.records)
      left.amounts += right.amounts
      left.items = left.items.addingSaturated(right.items)
      left.boosterDays = left.boosterDays.addingSaturated(right.boosterDays)
      left.days = left.days.addingSaturated(right.days)
    }

    /// The parts that are not zero, in words; empty if all are.
    package var text: String {
      [amounts.shortText ?? "", rest].filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// The parts without units that are not zero, in words; empty if all are.
    package var rest: String {
      let parts = [(items, "item"), (boosterDays, "booster day"), (days, "user-day")]
      return parts.filter { $0.0 != 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
        .joined(separator: ", ")
    }
  }

  /// A month, a door and a person.
  package struct Place: Hashable, Sendable {
    /// The first day of the month.
    package let month: Day
    /// The door.
    package let door: Door
    /// The person, or the name of a source; nil where the ledger names nobody, as in lines of earlier versions.
    package let who: String?

    /// Creates a place.
    package init(month: Day, door: Door, who: String?) {
      self.month = month
      self.door = door
      self.who = who
    }
  }

  /// What one person gave through one door in one month.
  package struct Row: Sendable, Equatable {
    /// The month, the door and the person.
    package let place: Place
    /// What was given.
    package var sums = Sums()
    /// The part of it that two people agreed on.
    package var agreed = Sums()
    /// The number of users who got it.
    package var users = 0

    /// Creates a row with nothing in it.
    package init(_ place: Place) { self.place = place }

    /// The part that two people agreed on, in words.
    package var agreement: String {
      if agreed.records == 0 { return "none" }
      if agreed.records == sums.records { return "all" }
      return agreed.text.isEmpty ? "\(agreed.records) of \(sums.records)" : agreed.text
    }
  }

  /// What one user was given in one month by people of whom none had asked a second one.
  package struct Receiver: Sendable, Equatable {
    /// The user.
    package let user: String
    /// The first day of the month.
    package let month: Day
    /// What the user got, without what two people agreed on.
    package let sums: Sums
    /// The most that was allowed.
    package let limit: Sums

    /// Creates a user with a month's sums.
    package init(user: String, month: Day, sums: Sums, limit: Sums) {
      self.user = user
      self.month = month
      self.sums = sums
      self.limit = limit
    }

    /// The largest part of what was allowed, 1 for all of it.
    package var share: Double {
      let units = RewardUnit.allCases.map { (sums.amounts[$0], limit.amounts[$0]) }
      let parts = units + [(sums.items, limit.items), (sums.boosterDays, limit.boosterDays)]
      return parts.map { Double($0.0) / Double(max(1, $0.1)) }.max() ?? 0
    }
  }

  /// The rows, the newest month first.
  package let rows: [Row]
  /// What evidence gave in the months of the rows, by the first day of the month.
  package let evidence: [Day: Amounts]
  /// The users who got the most compared with what is allowed, those with the most first.
  package let receivers: [Receiver]

  /// Creates a summary of rows in any order. Leaves out what evidence gave in months without a row.
  package init(
    _ rows: [Row] = [], evidence: [Day: Amounts] = [:], receivers: [Receiver] = []
  ) {
    self.rows = rows.sorted { $0.place < $1.place }
    let months = Set(rows.map(\.place.month))
    self.evidence = evidence.filter { months.contains($0.key) }
    self.receivers = receivers
  }

  /// Whether nobody gave anything.
  package var isEmpty: Bool { rows.isEmpty }

  /// The rows of each month, the newest month first, with what evidence gave in it.
  package var months: [(month: Day, rows: [Row], evidence: Amounts)] {
    Dictionary(grouping: rows, by: \.place.month).sorted { $0.key > $1.key }.map { month, rows in
      (month: month, rows: rows, evidence: evidence[month] ?? Amounts())
    }
  }

  /// Returns a month as in `2026-11`.
  package static func text(ofMonth month: Day) -> String { String(month.description.prefix(7)) }
}

extension GivenByHand.Place: Comparable {
  /// Orders the newest month first, then by door and person.
  package static func < (left: Self, right: Self) -> Bool {
    (right.month, left.door.rank, left.who ?? "") < (left.month, right.door.rank, right.who ?? "")
  }
}
