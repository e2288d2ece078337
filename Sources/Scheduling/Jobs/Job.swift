package import CivilTime

/// Work that operators want done at a local time, from one file in `jobs/`.
package struct Job: Sendable, Equatable {
  /// Where the job's local time applies.
  package enum Place: Sendable, Equatable {
    /// In each zone that has users, at its own time.
    case eachUserZone
    /// In one zone, by IANA name.
    case zone(String)

    /// The place as written in job files.
    package var name: String {
      switch self {
      case .eachUserZone: "user"
      case .zone(let name): name
      }
    }
  }

  /// What happens if a run is due while the previous one is still going on.
  package enum Overlap: String, Sendable, CaseIterable {
    /// The later run is not done, and is recorded as skipped.
    case skip
    /// The later run waits.
    case queue
  }

  /// The name, unique among the jobs.
  package let name: String
  /// When it is due.
  package let schedule: Schedule
  /// Where it runs.
  package let place: Place
  /// The command line without the program's name; for an external program, its path and arguments.
  package let command: [String]
  /// What happens if runs overlap.
  package let overlap: Overlap
  /// How late a missed run may still start, in seconds.
  package let catchUpSeconds: Int64
  /// The longest delay of a run for jitter, in seconds.
  package let jitterSeconds: Int64
  /// How long a run may take, in seconds.
  package let timeoutSeconds: Int64
  /// Whether it runs at all.
  package let isEnabled: Bool
  /// Whether one run makes up for all missed runs.
  package var catchesUpOnce = false
  /// Whether ``command`` is an external program.
  package var isProgram = false
  /// How long after a day's end the API may still not report all of it, in seconds.
  package var lagSeconds: Int64 = 0

  /// How late the run that makes up for all missed runs may be: any time.
  static let onceSeconds: Int64 = 100_000 * 86_400

  /// The command in words.
  package var commandText: String {
    (isProgram ? command : ["rewards"] + command).joined(separator: " ")
  }

  /// Returns the first fire strictly after `instant`; none on a date that the zone skipped, because no one there lived it.
  package func nextFire(after instant: Instant, in zone: Zone) -> Fire? {
    existing(schedule.nextFire(after: instant, in: zone), in: zone)
  }

  /// Returns the fire after `fire`; none on a date that the zone skipped.
  package func nextFire(after fire: Fire, in zone: Zone) -> Fire? {
    existing(schedule.nextFire(after: fire, in: zone), in: zone)
  }

  private func existing(_ fire: Fire?, in zone: Zone) -> Fire? {
    var next = fire
    while let fire = next, zone.window(of: fire.nominalLocal.day) == nil {
      next = schedule.nextFire(after: fire, in: zone)
    }
    return next
  }

  /// Returns when the run of a fire should begin: at its time plus the jitter. A job in each user's zone does not
  /// begin before the API can report all of the day just ended, because where midnight does not exist, a fire at
  /// 00:30 is the end of that day.
  package func start(of fire: Fire, in zone: Zone) -> Instant {
    let begin = fire.instant.adding(seconds: jitter(of: fire, in: zone))
    guard place == .eachUserZone, lagSeconds > 0 else { return begin }
    return max(begin, zone.window(containing: fire.instant).start.adding(seconds: lagSeconds))
  }

  /// Returns the delay in seconds of the fire at `nominalLocal` in `zone`. It is the same in every process and never
  /// reaches the next nominal time.
  package func jitter(of fire: Fire, in zone: Zone) -> Int64 {
    guard jitterSeconds > 0 else { return 0 }
    let spread = PollPolicy.spread(of: "\(name)|\(zone.name)|\(fire.nominalLocal)")
    var limit = jitterSeconds
    if let next = nextFire(after: fire, in: zone) {
      limit = min(limit, next.instant.seconds(since: fire.instant) - 1)
    }
    return Int64(spread * Double(max(0, limit)))
  }
}
