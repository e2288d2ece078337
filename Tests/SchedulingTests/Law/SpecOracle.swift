import CivilTime
import Evidence
import Sandbox

/// What a user earns by a true life: written from the rules' text, sharing no code with the rules.
struct SpecOracle {
  private(set) var points: Int64 = 0
  private(set) var coins: Int64 = 0
  private(set) var length: Int32 = 0
  private(set) var longest: Int32 = 0
  private(set) var keys: Set<String> = []

  private static let missionPoints: [ActivityKind: Int64] = [
    .comment: 5, .watch: 15, .follow: 15, .gift: 20, .share: 10, .stream: 30, .purchase: 50,
  ]

  init(_ life: TrueLife) {
    var cycleDay = 0
    for window in life.windows {
      let met = ActivityKind.allCases.filter { kind in
        Truth.firstTouch(
          by: life.deeds(of: kind).map { Activity(kind: kind, from: $0.from, to: $0.to) },
          from: window.start, to: window.end) != nil
      }
      for kind in met where kind != .login {
        points += Self.missionPoints[kind] ?? 0
        keys.insert("\(life.id)/\(window.day)/\(kind.name)")
      }
      let isRunning = window == life.windows.last
      if !met.isEmpty {
        length += 1
        longest = max(longest, length)
        cycleDay = cycleDay == 7 ? 1 : cycleDay + 1
        points += [1: 25, 3: 50, 5: 100][cycleDay] ?? 0
        coins += cycleDay == 7 ? 50 : 0
        keys.insert("\(life.id)/\(window.day)/login")
      } else if !isRunning, !window.isShortened {
        length = 0
        cycleDay = 0
      }
    }
  }
}
