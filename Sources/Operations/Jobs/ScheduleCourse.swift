import CivilTime
import Ledger
import Scheduling

/// The schedules by which a job ran, taken from the records of its runs in all zones, since a job has one schedule at a
/// time.
struct ScheduleCourse {
  /// The runs, ordered by time.
  private let runs: [RunMark]
  /// The schedule before the first of them; nil when unknown.
  private let earlier: String?
  private var schedules: [String: Schedule] = [:]
  /// The last fire, recorded by an older version without a schedule, that the present schedule does not name. Until
  /// then the job had another schedule.
  private let lastOther: Instant
  /// The first run after the fire last passed to this value.
  private var next = 0

  /// Creates the course of `job` from `runs`; `mark` is the newest run before them.
  init(of job: Job, _ runs: [RunMark], after mark: RunMark?) {
    self.runs = runs.sorted { $0.nominal < $1.nominal }
    // Assume the same schedule before the first run that records one.
    earlier = mark?.schedule ?? (mark == nil ? self.runs.first?.schedule : nil)
    lastOther =
      self.runs.last { run in
        guard run.schedule == nil, let local = LocalDateTime(run.nominalLocal) else { return false }
        return !job.schedule.names(local)
      }?.nominal ?? .earliest
  }

  /// Whether the schedule in force at the time names the unrecorded `fire`: the schedule of the last run before it, or
  /// the present one when that run records none. Ask about the fires of one zone in order, and use a separate copy for
  /// each zone.
  mutating func names(_ fire: Fire) -> Bool {
    if fire.instant <= lastOther { return false }
    while next < runs.count, runs[next].nominal <= fire.instant { next += 1 }
    guard let text = next > 0 ? runs[next - 1].schedule : earlier else { return true }
    if schedules[text] == nil { schedules[text] = try? Schedule(text) }
    return schedules[text]?.names(fire.nominalLocal) ?? true
  }
}
