/// A cron expression of five fields: a function from an instant and a zone to a job's next fire.
///
/// A schedule that names its minute and hour fires exactly once for each local time it names: the first time in an
/// overlap, and in a gap, whether an hour or a whole date, at the first instant after it. A schedule whose minute or
/// hour begins with `*` follows elapsed time: it fires whenever a wall clock shows a time it names, so never in a gap
/// and twice in an overlap.
///
/// If both day of month and weekday are restricted, either may match. A field that begins with `*` does not count as
/// a restriction, though its step still selects. `N/S` runs from N to the field's greatest number; 7 is Sunday.
public struct Schedule: Hashable, Sendable {
  /// The expression as written.
  public let expression: String
  /// Whether the schedule follows elapsed time.
  public let followsElapsedTime: Bool
  private let matcher: ScheduleMatcher

  /// Parses `expression`: five fields in any case, or a nickname such as `@daily`.
  public init(_ expression: String) throws(ScheduleError) {
    (matcher, followsElapsedTime) = try ScheduleParser(expression).parse()
    self.expression = expression
  }

  /// Returns whether the schedule names this local time, to the second.
  public func names(_ local: LocalDateTime) -> Bool {
    matcher.first(from: local.seconds) == local.seconds
  }

  /// Returns the first instant strictly after `instant` at which the schedule fires in `zone`; nil after the year 9999.
  public func next(after instant: Instant, in zone: Zone) -> Instant? {
    nextFire(after: instant, in: zone)?.instant
  }

  /// Returns the first fire strictly after `instant`. If a gap moves several local times to one instant, the first of them.
  public func nextFire(after instant: Instant, in zone: Zone) -> Fire? {
    let seconds = min(max(instant.seconds, Instant.earliest.seconds - 1), Instant.latest.seconds)
    return followsElapsedTime
      ? elapsedFire(after: seconds, in: zone)
      : nominalFire(after: zone.furthestLocal(through: seconds), in: zone)
  }

  /// Returns the fire after `fire`: at the same instant if a gap moves two local times there, otherwise later.
  ///
  /// Walking from fire to fire visits each local time exactly once.
  public func nextFire(after fire: Fire, in zone: Zone) -> Fire? {
    followsElapsedTime
      ? nextFire(after: fire.instant, in: zone)
      : nominalFire(after: fire.nominalLocal.seconds, in: zone)
  }

  private func nominalFire(after local: Int64, in zone: Zone) -> Fire? {
    guard let found = matcher.first(from: local + 1) else { return nil }
    return Self.fire(at: zone.firstSecond(reaching: found), nominalLocal: found)
  }

  private func elapsedFire(after seconds: Int64, in zone: Zone) -> Fire? {
    var earliest = seconds + 1
    while earliest <= Instant.latest.seconds {
      let segment = zone.segment(containing: earliest)
      guard let found = matcher.first(from: earliest + segment.offset) else { return nil }
      if found - segment.offset < segment.end {
        return Self.fire(at: found - segment.offset, nominalLocal: found)
      }
      // The clock changes first and may then show an earlier time that also matches.
      earliest = segment.end
    }
    return nil
  }

  private static func fire(at seconds: Int64, nominalLocal: Int64) -> Fire? {
    guard seconds <= Instant.latest.seconds else { return nil }
    return Fire(
      instant: Instant(seconds: seconds), nominalLocal: LocalDateTime(seconds: nominalLocal))
  }
}

/// One fire of a schedule.
public struct Fire: Hashable, Sendable {
  /// When the schedule fires.
  public let instant: Instant
  /// The local time named by the schedule. It is the local time of `instant` unless it falls into a gap.
  public let nominalLocal: LocalDateTime

  /// Creates a fire, as found by ``Schedule``.
  public init(instant: Instant, nominalLocal: LocalDateTime) {
    self.instant = instant
    self.nominalLocal = nominalLocal
  }
}
