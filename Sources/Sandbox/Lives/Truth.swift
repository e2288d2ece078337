public import CivilTime
public import Evidence

/// What really happened in a span of time: an oracle that shares no code with the evidence that is gathered.
public enum Truth {
  /// The first instant within `[start, end)` at which one of the activities goes on, nil when none touches it.
  ///
  /// An activity touches when it begins before `end` and ends after `start`; one without duration when it lies inside.
  /// One without an end goes on for ever.
  public static func firstTouch(
    by activities: [Activity], from start: Instant, to end: Instant
  ) -> Instant? {
    var earliest: Instant?
    for activity in activities {
      let stop = activity.isOpen ? .latest : activity.to
      let touches =
        activity.from == stop
        ? start <= activity.from && activity.from < end : activity.from < end && stop > start
      guard touches else { continue }
      let instant = max(activity.from, start)
      earliest = min(earliest ?? instant, instant)
    }
    return earliest
  }
}

extension LifeModel {
  /// The first instant within `[start, end)` at which the user really did something of this kind, or nil.
  public func firstTouch(
    of user: SimulatedUser, _ kind: ActivityKind, from start: Instant, to end: Instant
  ) -> Instant? {
    Truth.firstTouch(by: activities(of: user, kind), from: start, to: end)
  }
}
