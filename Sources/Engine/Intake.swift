import CivilTime
import Evidence
import Ledger
import RewardRules

/// Tells which activities are news: what the law can need of a user's days, and nothing twice.
///
/// An activity is news where it touches one of the user's days earlier than all that is known of its kind there, by either
/// way of counting and however long any rules believe what has no end. So the same fact seen by ten looks is recorded once.
/// Where rules want a mission to last, what lengthens its time on a day is news too, until that has lasted long enough.
struct Intake {
  /// What an activity is to the ledger.
  enum Novelty {
    case news, known
    /// It touches days of which this timeline does not know the evidence: a history tells.
    case undecided
  }

  private let windows: [DayWindow]
  /// The first instant of which the evidence is known.
  private let knownFrom: Instant
  /// The first instant of the user's first day.
  private let beginning: Instant
  private let boundary: Instant
  /// For how long missions must last, in seconds, by the strictest rules that the ledger knows.
  private let durations: [ActivityKind: Int64]
  /// How long the rules believe what has no end, one policy for each number of hours.
  private let policies: [ActivityPolicy]

  init(_ timeline: Timeline) {
    let open = timeline.openWindows.map(\.window)
    if let history = timeline.history {
      windows = history.days.map(\.window.window) + open
      knownFrom = .earliest
    } else {
      windows = timeline.account.recentWindows + open
      knownFrom = timeline.account.remembersFrom
    }
    beginning = timeline.account.firstInstant
    boundary = timeline.account.boundary
    durations = timeline.rules.leastSeconds
    policies = timeline.rules.beliefs
  }

  /// What `activity` is beside the evidence in `known`.
  func novelty(of activity: Activity, beside known: [RecordedEvidence]) -> Novelty {
    // What ended before the user's first day concerns nobody.
    if activity.to < beginning || (activity.to == beginning && activity.from < beginning) {
      return .known
    }
    if windows.contains(where: { improves(on: $0, activity, known) }) { return .news }
    if activity.from >= knownFrom || knownFrom <= beginning { return .known }
    // What the known one and this have in common before the evidence that is known is the same.
    let isRepeated = known.contains { item in
      item.activity.kind == activity.kind && item.activity.from == activity.from
        && item.activity.to >= min(activity.to, knownFrom)
    }
    return isRepeated ? .known : .undecided
  }

  /// Returns whether `activity` comes late for a closed day.
  func isLate(_ activity: Activity) -> Bool { activity.from < boundary }

  /// Returns whether `activity` touches a day earlier than all of its kind in `known`.
  private func improves(
    on window: DayWindow, _ activity: Activity, _ known: [RecordedEvidence]
  ) -> Bool {
    for policy in policies {
      let told = activity.believed(by: policy)
      for counting in ActivityPolicy.Counting.allCases {
        guard let effective = told.effective(in: window, counting: counting) else { continue }
        let isEarlier = !known.contains { item in
          guard item.activity.kind == activity.kind,
            let before = item.activity.believed(by: policy).effective(
              in: window, counting: counting)
          else { return false }
          return before <= effective
        }
        if isEarlier || lengthens(window, told, known, policy, counting) { return true }
      }
    }
    return false
  }

  /// Returns whether `activity` adds to the time for which its kind is known to have lasted on a day, before that was long enough.
  private func lengthens(
    _ window: DayWindow, _ activity: Activity, _ known: [RecordedEvidence],
    _ policy: ActivityPolicy, _ counting: ActivityPolicy.Counting
  ) -> Bool {
    guard let least = durations[activity.kind] else { return false }
    var time = ProvenTime(in: window, counting: counting)
    for item in known where item.activity.kind == activity.kind {
      time.add(item.activity.believed(by: policy), seq: item.seq)
    }
    let (before, reached) = (time.nanoseconds, time.reaching(seconds: least)?.effective)
    time.add(activity, seq: RecordedEvidence.firstProvisional)
    guard let reached else { return time.nanoseconds > before }
    return time.reaching(seconds: least).map { $0.effective < reached } ?? false
  }
}

extension Account {
  /// The windows of the closed days of which evidence is still kept, in order.
  fileprivate var recentWindows: [DayWindow] {
    recentDays.indices.map { index in
      let next = index + 1
      let end = next < recentDays.count ? recentDays[next].start : boundary
      return DayWindow(day: recentDays[index].day, start: recentDays[index].start, end: end)
    }
  }
}
