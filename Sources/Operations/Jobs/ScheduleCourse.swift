import CivilTime
import Ledger
import Scheduling

/// By which schedules a job was run in a zone, as the records of its runs tell.
struct ScheduleCourse {
  /// In the order of their times.
  private let runs: [RunRecord]
  /// By which one the job ran before the first of them; nil where nothing tells.
  private let earlier: String?
  private var schedules: [String: Schedule] = [:]
  /// The last fire in a line of an older version, which tells no schedule, that the present one does not name: up to then the
  /// job had another.
  private let lastOther: Instant
  /// The first run behind the fire that was asked for last.
  private var next = 0

  /// What `runs`, by the local time that names their fires, tell of `job`; `mark` is that of the last run before them.
  init(of job: Job, _ runs: [String: [RunRecord]], after mark: RunMark?) {
    earlier = mark?.schedule
    // One that was recorded before, and is once more, tells nothing of later fires.
    self.runs = runs.values.joined().filter { run in mark.map { run.nominal > $0.nominal } ?? true }
      .sorted { $0.nominal < $1.nominal }
    lastOther =
      self.runs.last { run in
        guard run.schedule == nil, let local = LocalDateTime(run.nominalLocal) else { return false }
        return !job.schedule.names(local)
      }?.nominal ?? .earliest
  }

  /// Whether the schedule of then names `fire`, which has no record: that of the last run before, or the present one where that
  /// tells none. Ask for one fire after the other.
  mutating func names(_ fire: Fire) -> Bool {
    if fire.instant <= lastOther { return false }
    while next < runs.count, runs[next].nominal <= fire.instant { next += 1 }
    guard let text = next > 0 ? runs[next - 1].schedule : earlier else { return true }
    if schedules[text] == nil { schedules[text] = try? Schedule(text) }
    return schedules[text]?.names(fire.nominalLocal) ?? true
  }
}
