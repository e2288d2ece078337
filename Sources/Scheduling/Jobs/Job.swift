public import CivilTime

/// Work that operators want done at a local time, from one file of `jobs/`.
public struct Job: Sendable, Equatable {
  /// Where the job's local time is.
  public enum Place: Sendable, Equatable {
    /// In each zone that has users, at its own time.
    case eachUserZone
    /// In one zone, by IANA name.
    case zone(String)

    /// What job files write for it.
    public var name: String {
      switch self {
      case .eachUserZone: "user"
      case .zone(let name): name
      }
    }
  }

  /// What happens when a run is due while the one before still goes on.
  public enum Overlap: String, Sendable, CaseIterable {
    /// The later one is not run, and recorded as skipped.
    case skip
    /// The later one waits.
    case queue
  }

  /// The name, unique among the jobs.
  public let name: String
  /// When it is due.
  public let schedule: Schedule
  /// Where.
  public let place: Place
  /// The command line, without the program's name; of a program that is not ours, its path and arguments.
  public let command: [String]
  /// What happens when runs overlap.
  public let overlap: Overlap
  /// How late a missed run may still happen, in seconds.
  public let catchUpSeconds: Int64
  /// The most by which a run is put off, in seconds.
  public let jitterSeconds: Int64
  /// How long a run may take, in seconds.
  public let timeoutSeconds: Int64
  /// Whether it runs at all.
  public let isEnabled: Bool
  /// Whether one run stands for all that were missed.
  public var catchesUpOnce = false
  /// Whether ``command`` is another program.
  public var isProgram = false
  /// For so long after a day's end the API may not tell all of it, in seconds.
  public var lagSeconds: Int64 = 0

  /// How late the one run may be that stands for all that were missed: however late.
  static let onceSeconds: Int64 = 100_000 * 86_400

  /// What it does, in words.
  public var commandText: String {
    (isProgram ? command : ["rewards"] + command).joined(separator: " ")
  }

  /// Returns the first fire strictly after `instant`; none on a date that the zone skipped, since nobody there lived it.
  public func nextFire(after instant: Instant, in zone: Zone) -> Fire? {
    existing(schedule.nextFire(after: instant, in: zone), in: zone)
  }

  /// Returns the fire that follows `fire`; none on a date that the zone skipped.
  public func nextFire(after fire: Fire, in zone: Zone) -> Fire? {
    existing(schedule.nextFire(after: fire, in: zone), in: zone)
  }

  private func existing(_ fire: Fire?, in zone: Zone) -> Fire? {
    var next = fire
    while let fire = next, zone.window(of: fire.nominalLocal.day) == nil {
      next = schedule.nextFire(after: fire, in: zone)
    }
    return next
  }

  /// When the run of a fire is to begin: at its time, put off by the jitter. Of a job in each user's zone not before the API can tell all
  /// of the day that has just ended: where midnight does not exist, a fire at 00:30 is that very end.
  public func begin(of fire: Fire, in zone: Zone) -> Instant {
    let begin = fire.instant.adding(seconds: jitter(of: fire, in: zone))
    guard place == .eachUserZone, lagSeconds > 0 else { return begin }
    return max(begin, zone.window(containing: fire.instant).start.adding(seconds: lagSeconds))
  }

  /// By how many seconds the fire at `nominalLocal` in `zone` is put off: the same in every process, never to or past
  /// the next nominal time.
  public func jitter(of fire: Fire, in zone: Zone) -> Int64 {
    guard jitterSeconds > 0 else { return 0 }
    let spread = PollPolicy.spread(of: "\(name)|\(zone.name)|\(fire.nominalLocal)")
    var limit = jitterSeconds
    if let next = nextFire(after: fire, in: zone) {
      limit = min(limit, next.instant.seconds(since: fire.instant) - 1)
    }
    return Int64(spread * Double(max(0, limit)))
  }
}
