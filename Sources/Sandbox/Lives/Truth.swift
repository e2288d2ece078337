package import CivilTime
package import Evidence

/// An oracle of what really happened in a period; it shares no code with the evidence.
package enum Truth {
  /// Returns the first instant within `[start, end)` at which one of the activities is in progress; nil if there is none.
  ///
  /// An activity counts if it begins before `end` and ends after `start`; one without duration, if it is inside. One without an
  /// end continues for ever.
  package static func firstTouch(
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
  /// Returns the first instant within `[start, end)` at which the user really did something of this kind, or nil.
  package func firstTouch(
    of user: SimulatedUser, _ kind: ActivityKind, from start: Instant, to end: Instant
  ) -> Instant? {
    Truth.firstTouch(by: activities(of: user, kind), from: start, to: end)
  }
}
