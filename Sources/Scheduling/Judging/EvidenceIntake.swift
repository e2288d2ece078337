import CivilTime
import Evidence
import Ledger

/// Takes seen activities in for one user: what is new becomes evidence, once per kind and window, the earliest.
struct EvidenceIntake {
  let user: String
  let account: Account
  let windows: [UserWindow]
  let context: JudgeContext
  /// Evidence in the ledger and fresh evidence, the latter by provisional number.
  private(set) var evidence: [RecordedEvidence]
  /// Evidence for closed days among the fresh.
  private(set) var late: [SeenActivity] = []

  init(user: String, account: Account, windows: [UserWindow], context: JudgeContext) {
    self.user = user
    self.account = account
    self.windows = windows
    self.context = context
    evidence = account.evidence
  }

  /// Adds to `draft` what `seen` brings that is not recorded yet.
  mutating func take(
    _ seen: [SeenActivity], source: Source, observedAt: Instant, into draft: inout Draft
  ) {
    for activity in seen.sorted(by: { $0.from < $1.from }) {
      let isNew = windows.contains { improves(on: $0, activity) }
      let isLate = !isNew && comesLate(activity)
      guard isNew || isLate else { continue }
      if isNew {
        evidence.append(RecordedEvidence(activity: activity, seq: draft.nextEvidence))
      } else {
        late.append(activity)
      }
      draft.evidence.append(
        EvidenceRecord(
          user: user, kind: activity.kind, from: activity.from, to: activity.to,
          open: activity.isOpen, source: source, observedAt: observedAt))
    }
  }

  /// Whether `activity` touches an open day earlier than all that is recorded.
  private func improves(on window: UserWindow, _ activity: SeenActivity) -> Bool {
    let counting = context.policy(on: window.day).counts
    guard let effective = activity.effective(in: window.window, counting: counting) else {
      return false
    }
    let known = RecordedEvidence.touch(
      of: window.window, by: activity.kind, in: evidence, counting: counting)
    return known.map { effective < $0.effective } ?? true
  }

  /// Whether `activity` touches a closed day that has no evidence of its kind.
  private func comesLate(_ activity: SeenActivity) -> Bool {
    guard activity.from < account.boundary else { return false }
    let days = account.closedDays(touchedBy: activity)
    guard days.upperBound >= account.firstDay else { return false }
    let numbers = max(days.lowerBound, account.firstDay).number...days.upperBound.number
    let isNeeded = numbers.contains {
      !account.hasEvidence(of: activity.kind, onClosed: Day(number: $0))
    }
    return isNeeded
      && !account.lateEvidence.contains { $0.kind == activity.kind && $0.from == activity.from }
      && !late.contains { $0.kind == activity.kind && $0.from == activity.from }
      && !evidence.contains {
        $0.activity.kind == activity.kind && $0.activity.from == activity.from
      }
  }
}
