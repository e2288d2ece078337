import CivilTime
import Evidence
import Sandbox

/// Compares the grants of days that are not closed with what simulated users really did.
struct OpenDayCheck {
  /// Grants for what nobody did.
  private(set) var wrong: [String] = []
  /// What was done before the cutoff, on the day that runs then, without a grant.
  private(set) var missing: [String] = []
  private(set) var right = 0

  /// Checks the days from each zone's last close to `end`; grants are due for what happened before `cutoff`.
  init(_ life: LifeModel, _ facts: LedgerFacts, cutoff: Instant, end: Instant) throws {
    for user in life.users {
      let zone = try TestPlace.zones.zone(named: user.zone)
      guard var day = facts.closes[user.zone]?.last?.day.adding(days: 1) else { continue }
      while let window = zone.window(of: day), window.start < end {
        var isSpent = false
        var isSpentInTime = false
        for kind in ActivityKind.allCases {
          let touch = life.firstTouch(of: user, kind, from: window.start, to: min(window.end, end))
          let isInTime = touch.map { $0 < cutoff } ?? false
          isSpent = isSpent || touch != nil
          isSpentInTime = isSpentInTime || isInTime
          if kind == .login { continue }
          let isDue = isInTime && cutoff < window.end
          check("\(user.id)/\(day)/\(kind.name)", isTrue: touch != nil, isDue: isDue, facts)
        }
        let isDue = isSpentInTime && cutoff < window.end
        check("\(user.id)/\(day)/login", isTrue: isSpent, isDue: isDue, facts)
        day = day.adding(days: 1)
      }
    }
  }

  private mutating func check(_ key: String, isTrue: Bool, isDue: Bool, _ facts: LedgerFacts) {
    switch (isTrue, facts.keys[key] != nil) {
    case (true, true): right += 1
    case (false, true): wrong.append(key)
    case (true, false): if isDue { missing.append(key) }
    case (false, false): break
    }
  }
}
