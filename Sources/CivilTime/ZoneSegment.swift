/// A half-open stretch of time `[start, end)`, in seconds since 1970, with a constant offset from UTC.
///
/// Neighbours may have the same offset, so an end is not always a change.
struct ZoneSegment {
  /// The first second; `Int64.min` if nothing comes before.
  var start: Int64
  /// The first second after the stretch; `Int64.max` if nothing comes after.
  var end: Int64
  /// Seconds to add to UTC.
  var offset: Int64

  /// Returns whether the second `seconds` lies in the stretch.
  func contains(_ seconds: Int64) -> Bool { start <= seconds && seconds < end }
}
