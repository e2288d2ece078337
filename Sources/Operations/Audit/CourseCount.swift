import AuditPage
import CivilTime
internal import Evidence
import Ledger
internal import RewardRules
import Scheduling

/// Counts gaps, ends of streaks, refusals and delays of some users for an audit's page.
struct CourseCount: Sendable {
  private(set) var elsewhere: [Day: AuditFigures.Sum] = [:]
  private(set) var unknownDays: [Day: [String: Int]] = [:]
  private(set) var endedStreaks: [Int32: Int] = [:]
  private(set) var acts = ManualActs()
  private(set) var refusals: [String: Int] = [:]
  private(set) var seenAfter: [String: AuditFigures.Delays] = [:]
  private(set) var grantedAfter = AuditFigures.Delays()
  private var known: Set<String> = []

  /// Counts a record of one user; ignores others.
  mutating func add(_ record: Record) {
    switch record.body {
    case .user(let user):
      // Only a user's first line carries an opening balance.
      guard known.insert(user.user).inserted, let opening = user.opening, let since = user.since
      else { return }
      elsewhere[since, default: .init()] += .init(grants: 1, opening.amounts)
    case .credit(let record):
      // The sums of days are for a page alone, which shows no zone.
      let day = Day(number: Int32(clamping: record.credit.effective.seconds / 86_400))
      elsewhere[day, default: .init()] += .init(grants: 1, record.credit.amounts)
    case .unknown(let unknown):
      guard let cause = unknown.gaps.first?.cause else { return }
      unknownDays[unknown.day, default: [:]][cause, default: 0] += 1
    case .streak(let streak) where streak.what == .broken:
      endedStreaks[streak.before.length, default: 0] += 1
    case .evidence(let evidence):
      seenAfter[evidence.source.name, default: .init()].add(
        seconds: evidence.observedAt.seconds(since: evidence.activity.from))
    case .grant(let grant) where grant.cause == "live" && !grant.isAdjustment:
      grantedAfter.add(seconds: record.at.seconds(since: grant.effective))
    case .refused(let refused) where refused.user != nil:
      refusals[refused.what.rawValue, default: 0] += 1
    default: break
    }
  }

  /// Counts a reversal, which `record` contains.
  mutating func add(_ reversal: ReversalRecord, _ record: Record) {
    acts.add(
      ManualAct(
        seq: record.seq, at: record.at, what: reversal.undone ? "gave back" : "took back",
        subject: reversal.key, content: reversal.reward.text, reason: reversal.reason,
        actor: reversal.actor))
  }

  mutating func merge(_ other: CourseCount) {
    for (day, sum) in other.elsewhere { elsewhere[day, default: .init()] += sum }
    for (day, causes) in other.unknownDays {
      unknownDays[day, default: [:]].merge(causes, uniquingKeysWith: +)
    }
    endedStreaks.merge(other.endedStreaks, uniquingKeysWith: +)
    acts += other.acts
    refusals.merge(other.refusals, uniquingKeysWith: +)
    for (source, delays) in other.seenAfter { seenAfter[source, default: .init()] += delays }
    grantedAfter += other.grantedAfter
    known.formUnion(other.known)
  }
}

/// Counts closes and manual acts, which concern no single user. Each record is seen once.
struct CommonCount: Sendable {
  private(set) var zones: [String: [Day: AuditFigures.UserDays]] = [:]
  private(set) var acts = ManualActs()
  /// The most streaks ended by one close of each zone and date; users who came late have a close of their own.
  private(set) var mostBroken: [ZoneDay: Int] = [:]

  /// Counts a record; ignores those of other types.
  mutating func add(_ record: Record) {
    switch record.body {
    case .close(let close):
      var days = AuditFigures.UserDays()
      days.counted = close.counts.counted
      days.held = close.counts.held
      days.excused = close.counts.excused
      days.broken = close.counts.broken
      days.users = close.users
      zones[close.zone, default: [:]][close.window.day, default: .init()] += days
      let place = ZoneDay(close.zone, close.window.day)
      mostBroken[place] = max(mostBroken[place] ?? 0, close.counts.broken)
    case .operator(let act):
      acts.add(
        ManualAct(
          seq: record.seq, at: record.at, what: act.act.rawValue, subject: act.subject,
          content: act.what ?? "", reason: act.reason, actor: act.actor))
    case .excuse(let excuse):
      acts.add(
        ManualAct(
          seq: record.seq, at: record.at,
          what: excuse.withdraws == nil ? "excuse" : "excuse withdrawn",
          subject: excuse.outage.map { "\($0.from) to \($0.to)" }
            ?? "\(excuse.from) to \(excuse.to)",
          content: excuse.users.map { "users: \($0.count)" } ?? "all users",
          reason: excuse.reason, actor: excuse.actor))
    default: break
    }
  }
}
