import CivilTime
import Evidence
import Ledger
import RewardRules
import Sandbox

/// Compares what was granted with what the simulated users really did, according to their lives and not the polls.
struct DemoCheck {
  let world: DemoWorld
  let ledger: DemoLedger
  /// Whether the ledger has a user's records.
  var holds: (_ user: String) -> Bool = { _ in true }

  /// The findings of the comparison.
  struct Findings {
    var userDays = 0
    var rightGrants = 0
    var rightAbsences = 0
    /// The number of missing grants that a recorded gap explains.
    var explained = 0
    /// Grants for things that nobody did, in words.
    var wrong: [String] = []
    /// Missing grants without a recorded gap, in words.
    var unexplained: [String] = []

    var isClean: Bool { wrong.isEmpty && unexplained.isEmpty }
  }

  /// Checks every user's closed days.
  func run() -> Findings {
    var findings = Findings()
    for user in world.life.users where holds(user.id) {
      var streak: Int32 = 0
      let account = ledger.accounts[user.id] ?? DemoAccount()
      let activities = Dictionary(
        uniqueKeysWithValues: ActivityKind.allCases.map {
          ($0, world.life.activities(of: user, $0))
        })
      for window in ledger.closes[user.zone] ?? [] {
        findings.userDays += 1
        var touched = KindSet()
        for kind in ActivityKind.allCases {
          let truth = Truth.firstTouch(
            by: activities[kind] ?? [], from: window.start, to: window.end)
          if truth != nil { touched.insert(kind) }
          if kind != .login { check(kind, truth != nil, window, user, account, &findings) }
        }
        checkStreak(&streak, touched, window, user, account, &findings)
      }
    }
    return findings
  }

  private func check(
    _ kind: ActivityKind, _ isTrue: Bool, _ window: DayWindow, _ user: SimulatedUser,
    _ account: DemoAccount, _ findings: inout Findings
  ) {
    let key = RewardKey.mission(window.day, kind)
    let isGranted = (account.missions[key] ?? 0) > 0
    switch (isTrue, isGranted) {
    case (true, true): findings.rightGrants += 1
    case (false, false): findings.rightAbsences += 1
    case (false, true): findings.wrong.append("\(key.text(user: user.id)) was granted for nothing")
    case (true, false):
      if account.unknown.contains(key) {
        findings.explained += 1
      } else {
        findings.unexplained.append("\(key.text(user: user.id)) is missing without a gap")
      }
    }
  }

  /// Checks the streak against the true life: a day on which nothing was seen may only be held, never break it.
  private func checkStreak(
    _ streak: inout Int32, _ touched: KindSet, _ window: DayWindow, _ user: SimulatedUser,
    _ account: DemoAccount, _ findings: inout Findings
  ) {
    let place = RewardKey.login(window.day).text(user: user.id)
    let hasGap = ActivityKind.allCases.contains {
      account.unknown.contains(.mission(window.day, $0))
    }
    if let length = account.logins[window.day] {
      streak += 1
      if touched.isEmpty {
        findings.wrong.append("\(place) was granted for nothing")
      } else if length != streak {
        findings.wrong.append("\(place) says length \(length), by the life it is \(streak)")
      } else {
        findings.rightGrants += 1
      }
    } else if !touched.isEmpty {
      if hasGap, account.marks[window.day] != .broken {
        findings.explained += 1
      } else {
        findings.unexplained.append("\(place) is missing without a gap")
      }
    } else {
      findings.rightAbsences += 1
      if !hasGap { streak = 0 }
    }
  }
}
