package import CivilTime

/// Hours of the day in which no user is woken, in each user's own zone.
package struct QuietHours: Sendable, Equatable {
  /// When they begin, in minutes after midnight.
  package let from: Int
  /// When they end, in minutes after midnight; on the next day if smaller than ``from``.
  package let to: Int

  /// Parses hours such as `22:00-08:00`; nil for anything else, and for hours that never end.
  package init?(_ text: String) {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minutes)
    guard ends.count == 2, let from = ends[0], let to = ends[1], from != to else { return nil }
    self.from = from
    self.to = to
  }

  /// Returns when a user in `zone` may be notified of something due at `now`: at once, or when the quiet hours end.
  package func end(at now: Instant, in zone: Zone) -> Instant? {
    let local = zone.localDateTime(at: now)
    let minute = Int(local.secondOfDay) / 60
    let isQuiet = from < to ? from <= minute && minute < to : from <= minute || minute < to
    guard isQuiet else { return nil }
    let day = minute < to ? local.day : local.day.adding(days: 1)
    switch zone.resolve(LocalDateTime(day: day, secondOfDay: Int32(to) * 60)) {
    case .unique(let instant), .gap(after: let instant, _): return max(instant, now)
    // When clocks go back, the time is shown twice, the first time too early and perhaps before now.
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
