public import CivilTime
public import Evidence

extension Activity {
  /// What a route tells of an activity: without an end, it goes on.
  public static func told(_ kind: ActivityKind, from: Instant, to end: Instant?) -> Activity {
    Activity(kind: kind, from: from, to: end ?? from, isOpen: end == nil)
  }
}
