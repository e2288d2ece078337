import CivilTime
import Ledger
import Scheduling

/// By which schedules a job was run, as the records of its runs tell: in whatever zone, for a job has one schedule at a time.
struct ScheduleCourse {
  /// In the order of their times.
  private let runs: [RunMark]
  /// By which one the job ran before the first of them; nil where nothing tells.
  private let earlier: String?
  private var schedules: [String: Schedule] = [:]
  /// The last fire in a line of an older version, which tells no schedule, that the present one does not name: up to then the
  /// job had another.
  private let lastOther: Instant
  /// The first run behind the fire that was asked for last.
  private var next = 0

  /// What `runs` tell of `job`; `mark` is the newest of what came before them.
  init(of job: Job, _ runs: [RunMark], after mark: RunMark?) {
    self.runs = runs.sorted { $0.nominal < $1.nominal }
    // Before the first that tells one, the job is taken to have had the same.
    earlier = mark?.schedule ?? (mark == nil ? self.runs.first?.schedule : nil)
    lastOther =
      self.runs.last { run in
        guard run.schedule == nil, let local = LocalDateTime(run.nominalLocal) else { return false }
        return !job.schedule.names(local)
      }?.nominal ?? .earliest
  }

  /// Whether the schedule of then names `fire`, which has no record: that of the last run before, or the present one where that
  /// tells none. Ask for one fire of a zone after the other, and each zone of a copy of its own.
  mutating func names(_ fire: Fire) -> Bool {
    if fire.instant <= lastOther { return false }
    while next < runs.count, runs[next].nominal <= fire.instant { next += 1 }
    guard let text = next > 0 ? runs[next - 1].schedule : earlier else { return true }
    if schedules[text] == nil { schedules[text] = try? Schedule(text) }
    return schedules[text]?.names(fire.nominalLocal) ?? true
  }
}
