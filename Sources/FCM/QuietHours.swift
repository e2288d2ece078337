public import CivilTime

/// A time of the day in which nobody is woken, in each user's own zone.
public struct QuietHours: Sendable, Equatable {
  /// Minutes after midnight at which it begins.
  public let from: Int
  /// Minutes after midnight at which it ends: on the next day when it is smaller than ``from``.
  public let to: Int

  /// The hours that `text` names, as `22:00-08:00`; nil for anything else, and for a day without an end.
  public init?(_ text: String) {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minutes)
    guard ends.count == 2, let from = ends[0], let to = ends[1], from != to else { return nil }
    self.from = from
    self.to = to
  }

  /// When somebody in `zone` may be told who would be told at `now`: at once, or when the quiet ends.
  public func end(at now: Instant, in zone: Zone) -> Instant? {
    let local = zone.localDateTime(at: now)
    let minute = Int(local.secondOfDay) / 60
    let isQuiet = from < to ? from <= minute && minute < to : from <= minute || minute < to
    guard isQuiet else { return nil }
    let day = minute < to ? local.day : local.day.adding(days: 1)
    switch zone.resolve(LocalDateTime(day: day, secondOfDay: Int32(to) * 60)) {
    case .unique(let instant), .gap(after: let instant, _): return max(instant, now)
    // The clock that is set back shows it a first time too early, perhaps before now.
    case .overlap(let first, let second): return first > now ? first : max(second, now)
    }
  }

  private static func minutes(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = UInt8(parts[0]),
      let minute = UInt8(parts[1]), hour < 24, minute < 60
    else { return nil }
    return Int(hour) * 60 + Int(minute)
  }
}
