/// A half-open stretch of time `[start, end)`, in seconds since 1970, in which a zone's offset from UTC is constant.
///
/// Neighbours may have the same offset: an end is not always a change.
struct ZoneSegment {
  /// `Int64.min` when there is nothing before.
  var start: Int64
  /// `Int64.max` when there is nothing after.
  var end: Int64
  /// Seconds to add to UTC.
  var offset: Int64

  /// Returns whether the second `seconds` lies in the stretch.
  func contains(_ seconds: Int64) -> Bool { start <= seconds && seconds < end }
}
