import CivilTime
import Evidence
import Ledger
import RewardRules

/// Decides which activities are news: those that can affect the user's days, each recorded once.
///
/// An activity is news if it touches one of the user's days earlier than all known activities of its kind, with
/// either way of counting and for however long any rules believe an open activity. So the same fact seen by ten polls
/// is recorded once. If rules want a mission to last, an activity that adds to its time on a day is news too, until
/// it has lasted long enough.
struct Intake {
  /// Whether the ledger needs an activity.
  enum Novelty {
    case news, known
    /// It touches days whose evidence this timeline does not hold; a history can decide.
    case undecided
  }

  private let windows: [DayWindow]
  /// The first instant whose evidence is known.
  private let knownFrom: Instant
  /// The first instant of the user's first day.
  private let beginning: Instant
  private let boundary: Instant
  /// The minimum durations of missions in seconds, by the strictest rules in the ledger.
  private let durations: [ActivityKind: Int64]
  /// How long rules believe an open activity: one policy for each number of hours.
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

  /// Returns the novelty of `activity`, given the evidence in `known`.
  func novelty(of activity: Activity, beside known: [RecordedEvidence]) -> Novelty {
    // An activity that ended before the user's first day does not count.
    if activity.to < beginning || (activity.to == beginning && activity.from < beginning) {
      return .known
    }
    if windows.contains(where: { improves(on: $0, activity, known) }) { return .news }
    if activity.from >= knownFrom || knownFrom <= beginning { return .known }
    // Before `knownFrom`, both have the same part, so this one adds nothing.
    let isRepeated = known.contains { item in
      item.activity.kind == activity.kind && item.activity.from == activity.from
        && item.activity.to >= min(activity.to, knownFrom)
    }
    return isRepeated ? .known : .undecided
  }

  /// Returns whether `activity` comes late for a closed day.
  func isLate(_ activity: Activity) -> Bool { activity.from < boundary }

  /// Returns whether `activity` touches the day earlier than all of its kind in `known`, or adds to its time.
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

  /// Returns whether `activity` adds to the known time of its kind on a day that had not yet lasted long enough.
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
  /// The windows of the closed days whose evidence is still kept, in order.
  fileprivate var recentWindows: [DayWindow] {
    recentDays.indices.map { index in
      let next = index + 1
      let end = next < recentDays.count ? recentDays[next].start : boundary
      return DayWindow(day: recentDays[index].day, start: recentDays[index].start, end: end)
    }
  }
}
