import CivilTime
import Evidence
import Ledger
import RewardRules

/// Records as a service writes them: evidence and grants for some users every day, and occasionally others.
struct RecordMix {
  private var number = 0
  private static let usersADay = 10_000
  private static let firstDay = Day(number: 20_777)

  /// Returns the next `count` records.
  mutating func next(_ count: Int) -> [RecordBody] {
    (0..<count).map { _ in
      defer { number += 1 }
      return body(number)
    }
  }

  /// Returns one record of the mix. A user-day has five: two of evidence, two grants, and one of the rarer kinds.
  private func body(_ number: Int) -> RecordBody {
    let visit = number / 5
    let user = "u\(100_000 + visit % Self.usersADay)"
    let day = Self.firstDay.adding(days: Int32(visit / Self.usersADay))
    let from = Instant(seconds: Int64(day.number) * 86_400 + Int64(visit % 80_000))
    switch number % 5 {
    case 0:
      return evidence(user, .watch, from, .watchedStreams)
    case 1:
      return .grant(grant(user, day, .mission(day, .watch), from, points: 15, exp: 10))
    case 2:
      var login = grant(user, day, .login(day), from, points: 10, exp: 5)
      login.streak = StreakMark(length: 3, cycleDay: 3)
      return .grant(login)
    case 3:
      return evidence(user, .gift, from.adding(seconds: 60), .lastGift)
    default: return rare(user, day, from, visit)
    }
  }

  private func evidence(
    _ user: String, _ kind: ActivityKind, _ from: Instant, _ source: Source
  ) -> RecordBody {
    .evidence(
      EvidenceRecord(
        user: user, activity: Activity(kind: kind, from: from, to: from.adding(seconds: 1_800)),
        source: source, observedAt: from.adding(seconds: 1_860)))
  }

  private func grant(
    _ user: String, _ day: Day, _ key: RewardKey, _ effective: Instant, points: Int64, exp: Int64
  ) -> GrantRecord {
    var reward = Reward()
    reward.points = points
    reward.baseExp = exp
    reward.exp = exp
    return GrantRecord(
      key: key.text(user: user), user: user, day: day, mission: key.mission, effective: effective,
      rules: "2026-11", reward: reward, evidence: [UInt64(number)], cause: "live")
  }

  private func rare(_ user: String, _ day: Day, _ from: Instant, _ visit: Int) -> RecordBody {
    switch visit % 4 {
    case 0: return .grant(grant(user, day, .mission(day, .gift), from, points: 20, exp: 15))
    case 1: return .level(LevelRecord(user: user, level: 2, effective: from))
    case 2:
      return .unknown(
        UnknownRecord(
          user: user, day: day, mission: .stream,
          gaps: [Gap(kind: .stream, from: from, to: from.adding(seconds: 900), cause: "timedOut")]))
    default:
      return .streak(
        StreakRecord(
          user: user, day: day, what: .broken, before: StreakMark(length: 4, cycleDay: 4),
          after: StreakMark(length: 0, cycleDay: 0),
          proof: [StreakProof(source: .lastStream, through: from, looks: 24, toleratedSeconds: 0)]))
    }
  }
}
