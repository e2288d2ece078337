import AuditPage
import CivilTime
import Engine
import Ledger
import RewardRules

/// Judges every closed day again by what was known at its close, and compares: checks 4 to 7.
///
/// It finds what a backfill without new evidence would change. Check 4 includes the findings of ``GrantWordsCheck``.
struct Rederivation {
  private var grants: FindingList
  private var missing: FindingList
  private var streaks: FindingList
  private var draws: FindingList
  private var examinedGrants = 0
  private var examinedDays = 0
  private var examinedDraws = 0
  /// Days that agree with their close but now wait for a backfill.
  private(set) var waiting = WaitingDays()
  /// The days to examine; nil for all.
  private let days: ClosedRange<Day>?

  init(list: FindingList) {
    days = list.days
    grants = list
    missing = list
    streaks = list
    draws = list
  }

  /// The four checks.
  var results: [AuditReport.Check] {
    func check(_ id: Int, _ name: String, _ examined: Int, _ list: FindingList) -> AuditReport.Check
    {
      AuditReport.Check(id, name, examined: examined, list)
    }
    return [
      check(4, "unsupported grants", examinedGrants, grants),
      demands,
      check(6, "streaks and levels", examinedDays, streaks),
      check(7, "random draws", examinedDraws, draws),
    ]
  }

  /// Check 5, including the days that wait for a backfill.
  private var demands: AuditReport.Check {
    var check = AuditReport.Check(
      5, "missing grants", examined: examinedDays, missing)
    check.note = waiting.since.map { "\(waiting.text) for a backfill, since \($0)" }
    return check
  }

  /// Adds the counts of users who were fully proved elsewhere.
  mutating func add(_ proved: ProvedCounts) {
    examinedGrants += Int(proved.grants)
    examinedDays += Int(proved.days)
    examinedDraws += Int(proved.draws)
  }

  /// Adds the findings of ``GrantWordsCheck``.
  mutating func add(_ words: GrantWordsCheck) { grants.merge(words.list) }

  /// Adds the results for other users.
  mutating func merge(_ other: Rederivation) {
    grants.merge(other.grants)
    missing.merge(other.missing)
    streaks.merge(other.streaks)
    draws.merge(other.draws)
    examinedGrants += other.examinedGrants
    examinedDays += other.examinedDays
    examinedDraws += other.examinedDraws
    waiting.merge(other.waiting)
  }

  /// Examines one user, whose closes judged `judged`; returns how far the ledger falls short of the derived amounts.
  mutating func examine(
    _ timeline: Timeline, _ review: PastReview, _ judged: [EvaluatedDay], now: Instant
  ) -> RecordTotals {
    add(ProvedCounts(timeline))
    for (grant, problem) in review.misplaced {
      grants.add(
        AuditReport.Finding(problem, key: grant.text, user: timeline.account.id, day: grant.day))
    }
    for (day, problem) in review.misnamed(among: judged) {
      streaks.add(AuditReport.Finding(problem, user: timeline.account.id, day: day))
    }
    let demanded = UserPlan(
      timeline,
      PlanTerms(plan: "audit", days: nil, protection: .nothing, through: .max, now: now))
    for body in demanded.records {
      switch body {
      case .grant(let grant): add(grant)
      case .streak(let streak):
        streaks.add(
          AuditReport.Finding(
            "the streak should be \(streak.after.length) after this day",
            user: streak.user, day: streak.day))
      case .level(let level):
        let text =
          level.exp.map { "the user should be at level \(level.level) with \($0) exp" }
          ?? "level \(level.level) is not recorded"
        streaks.add(AuditReport.Finding(text, user: level.user))
      case .refused(let refused):
        missing.add(
          AuditReport.Finding(
            "a grant beyond the day's limit is not recorded as held back", key: refused.key,
            user: refused.user, day: refused.day))
      default: break
      }
    }
    waiting.add(timeline, now: now, within: days)
    return RecordTotals(demanded.records)
  }

  /// Adds what evaluating open days again would change.
  mutating func add(corrections: [GrantRecord]) { for grant in corrections { add(grant) } }

  private mutating func add(_ grant: GrantRecord) {
    func finding(_ text: String, _ key: String) -> AuditReport.Finding {
      AuditReport.Finding(text, key: key, user: grant.user, day: grant.day)
    }
    guard grant.isAdjustment else {
      return missing.add(
        finding("\(grant.reward.amounts.text) are missing", grant.key))
    }
    let key = grant.baseKey
    let isSum = !grant.reward.amounts.isZero
    if isSum { grants.add(finding("the rules would add \(grant.reward.amounts.text)", key)) }
    if !grant.reward.items.isEmpty || !grant.removedItems.isEmpty {
      draws.add(
        finding(
          "the draw gives \(grant.reward.items.joined(separator: " ")) "
            + "instead of \(grant.removedItems.joined(separator: " "))", key))
    } else if !isSum {
      streaks.add(finding("its streak or its booster is wrong", key))
    }
  }
}

/// The number of things that were proved about users.
struct ProvedCounts: Sendable {
  /// Grants of closed days.
  private(set) var grants: Int32 = 0
  /// Closed days.
  private(set) var days: Int32 = 0
  /// Grants with items.
  private(set) var draws: Int32 = 0
  /// Adjustments and reversals.
  var links: Int32 = 0

  /// Creates zero counts.
  init() {}

  /// Counts the closed days in the history of `timeline`.
  init(_ timeline: Timeline) {
    guard let history = timeline.history else { return }
    days = Int32(clamping: history.days.count)
    let (standing, lastDay) = (history.grants, timeline.account.boundaryDay)
    for index in standing.indices where standing[index].day <= lastDay {
      grants += 1
      if !standing[index].net.items.isEmpty { draws += 1 }
    }
  }

  static func += (left: inout ProvedCounts, right: ProvedCounts) {
    left.grants += right.grants
    left.days += right.days
    left.draws += right.draws
    left.links += right.links
  }
}
