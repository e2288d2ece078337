public import CivilTime
import Evidence
public import Ledger
import RewardRules

/// What a backfill makes of one user: the records that bring the closed days to what they should be. Pure.
public struct UserBackfill: Sendable {
  /// What an operator should know of one user's day.
  public struct Issue: Sendable, Equatable {
    /// How much it matters.
    public enum Severity: String, Sendable {
      /// What the backfill does.
      case information
      /// What a person should look at.
      case warning
    }

    /// The day.
    public let day: Day
    /// How much it matters.
    public let severity: Severity
    /// What there is to know.
    public let text: String
  }

  /// No day that anybody lives: as a range it lets nothing in that came late, but what a backfill has brought in.
  public static let noDay = Day(number: .max)...Day(number: .max)

  /// The user's id.
  public let user: String
  /// The records, in the order in which they must be appended; none when all is as it should be.
  public private(set) var records: [RecordBody] = []
  /// What changes and what was found, by day.
  public private(set) var issues: [Issue] = []

  let past: UserPast
  private let context: JudgeContext
  private let plan: String

  /// Works out what the days of `past` should be, those within `range` by everything that is recorded.
  ///
  /// `plan` is the plan's id. Without `clawsBack` a waiver makes up for what the user would lose.
  public init(
    _ past: UserPast, context: JudgeContext, range: ClosedRange<Day>, plan: String, clawsBack: Bool
  ) {
    self.past = past
    self.context = context
    self.plan = plan
    user = past.account.id
    guard past.account.stopped == nil else {
      let day = past.account.boundaryDay
      issues = [Issue(day: day, severity: .warning, text: past.account.stopped ?? "")]
      return
    }
    var noTrace: [TraceStep] = []
    let (days, state) = PastJudge(past: past, context: context, range: range).judge(into: &noTrace)
    addGrants(days)
    addHeldBack(days)
    addLevels(days)
    addStreaks(days)
    settle(state)
    if !clawsBack { addWaiver(state) }
    if !records.isEmpty { addIssues(days) }
  }

  /// Whether the ledger holds the grants among `records` already.
  public func holds(_ records: [RecordBody]) -> Bool {
    records.allSatisfy { body in
      guard case .grant(let grant) = body else { return true }
      let parts = grant.key.split(separator: "#", maxSplits: 1)
      let standing = past.reopened.grants.first { $0.text == parts[0] }
      guard let standing else { return false }
      return parts.count < 2 || standing.adjustments >= Int(parts[1]) ?? .max
    }
  }

  private func version(_ day: Day) -> String { context.rules.rules(on: day)?.version ?? "" }

  private mutating func addGrants(_ days: [PastJudge.JudgedDay]) {
    let boundary = past.account.boundaryDay
    var diff = GrantDiff(
      account: past.reopened, version: version, cause: "backfill:\(plan)")
    // What stands for open days is the live service's to change.
    diff.mayRetract = { $0.day <= boundary }
    records += diff.records(for: days.flatMap(\.outcome.grants), isComplete: true)
  }

  private mutating func addHeldBack(_ days: [PastJudge.JudgedDay]) {
    for intent in days.flatMap(\.outcome.heldBack)
    where !past.reopened.heldBack.contains(intent.key) {
      records.append(.refused(RefusedRecord(holding: intent, of: user)))
    }
  }

  private mutating func addLevels(_ days: [PastJudge.JudgedDay]) {
    for reached in days.flatMap(\.outcome.levels) where reached.level > past.account.recordedLevel {
      records.append(
        .level(LevelRecord(user: user, level: reached.level, effective: reached.effective)))
    }
  }

  /// Writes down how the streak stands after each day on which it stands otherwise than recorded. What a `login` grant
  /// tells needs no line of its own.
  private mutating func addStreaks(_ days: [PastJudge.JudgedDay]) {
    for day in days {
      let before = StreakMark(day.outcome.streakBefore)
      let after = StreakMark(day.outcome.streakAfter)
      // A day of which nothing is told leaves the streak as it is.
      let told = recorded(on: day.closed.day) ?? before
      let login = day.outcome.grants.contains { $0.key == .login(day.closed.day) }
      if told == after || login { continue }
      records.append(
        .streak(
          StreakRecord(
            user: user, day: day.closed.day, what: .repaired, before: before, after: after)))
    }
  }

  /// What the ledger says of the streak after a day: the last line about it counts.
  private func recorded(on day: Day) -> StreakMark? {
    if let mark = past.reopened.marks.first(where: { $0.day == day }), mark.what != nil {
      return mark.after
    }
    return past.reopened.grant(under: .login(day))?.streak
  }

  /// Tells on the last grant what the sums do not: the end of the boosters, and items that are gone.
  private mutating func settle(_ state: AccountState) {
    let lost = past.account.state.owned.subtracting(state.owned)
      .subtracting(
        past.reopened.grants.filter { $0.day > past.account.boundaryDay }.flatMap(\.net.items))
    let isOtherBooster = state.boosterUntil != past.account.state.boosterUntil
    guard isOtherBooster || !lost.isEmpty,
      let last = records.lastIndex(where: { if case .grant = $0 { true } else { false } }),
      case .grant(var grant) = records[last]
    else { return }
    grant.settled = SettledChange(boosterUntil: state.boosterUntil, lost: lost.sorted())
    records[last] = .grant(grant)
  }

  /// Gives back what the user would lose over all records, unit by unit.
  private mutating func addWaiver(_ state: AccountState) {
    let net = BackfillTotals(records)
    let boosterDays = boosterSeconds(state: true) - boosterSeconds(state: false)
    var waived = Reward()
    waived.points = max(0, -net.points)
    waived.baseExp = max(0, -net.exp)
    waived.exp = waived.baseExp
    waived.coins = max(0, -net.coins)
    waived.items = net.lostItems.subtracting(state.owned).sorted()
    if boosterDays < 0 {
      let from = max(state.boosterUntil ?? .earliest, past.account.boundary)
      waived.booster = BoosterWindow(from: from, until: from.adding(seconds: -boosterDays))
    }
    guard waived.isSomething else { return }
    let day = past.account.boundaryDay
    records.append(
      .grant(
        GrantRecord(
          key: "\(user)/waived/\(plan)", user: user, day: day, mission: "waived",
          effective: past.account.boundary, rules: version(day), reward: waived, evidence: [],
          cause: "backfill:\(plan)")))
    issues.append(
      Issue(day: day, severity: .information, text: "what would be lost is waived"))
  }

  /// How long all boosters of the closed days run together: as demanded, or as they stand.
  private func boosterSeconds(state isDemanded: Bool) -> Int64 {
    let standing = past.reopened.grants.filter {
      $0.day <= past.account.boundaryDay && !$0.isReversed
    }
    var windows: [String: BoosterWindow] = [:]
    for grant in standing { windows[grant.text] = grant.net.booster }
    if isDemanded {
      for case .grant(let grant) in records {
        let key = grant.key.split(separator: "#")[0]
        windows[String(key)] = grant.reward.booster
      }
    }
    return windows.values.reduce(0) { $0 + $1.until.seconds(since: $1.from) }
  }

  private mutating func addIssues(_ days: [PastJudge.JudgedDay]) {
    for day in days {
      let mark = past.reopened.marks.first { $0.day == day.closed.day }?.what
      let was = mark.map { $0 == .repaired ? "repaired" : $0.rawValue }
      if day.outcome.streakClass == .counted, let was, was != "repaired" {
        issues.append(
          Issue(
            day: day.closed.day, severity: .information,
            text: "the streak was \(was) and counts now: \(day.outcome.streakAfter.length) days"))
      }
      if day.outcome.isSaturated {
        issues.append(
          Issue(day: day.closed.day, severity: .warning, text: "a sum passed 64 bits"))
      }
    }
    for body in records {
      switch body {
      case .grant(let grant) where grant.reward.points < 0 || grant.reward.exp < 0:
        issues.append(
          Issue(
            day: grant.day, severity: .warning,
            text: "\(grant.key) takes back \(-grant.reward.points) points, \(-grant.reward.exp) exp"
          ))
      case .refused(let refused):
        issues.append(
          Issue(
            day: refused.day ?? past.account.boundaryDay, severity: .warning,
            text: "\(refused.key ?? "") is held back by the day's limit"))
      default: break
      }
    }
    issues.sort { $0.day < $1.day }
  }
}
