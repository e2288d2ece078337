package import CivilTime

/// Proves for one zone that its days tile time: each existing date is closed exactly once, and every instant is in exactly one
/// day.
///
/// The dates are those that a wall clock shows. They are found from the local date around every change of offset and at every
/// hour, not from the window arithmetic that is being proved.
package struct ZoneProof: Sendable {
  /// The extent and the findings of the proof of one zone.
  package struct Result: Sendable, Equatable {
    /// The zone.
    package let zone: String
    /// The number of windows walked.
    package internal(set) var days = 0
    /// The number of dates that the zone skipped.
    package internal(set) var skipped = 0
    /// The number of instants looked up.
    package internal(set) var instants = 0
    /// The number of user windows walked with changes of zone.
    package internal(set) var userDays = 0
    /// The problems, each with its place; at most twenty.
    package internal(set) var findings: [String] = []

    mutating func find(_ finding: @autoclosure () -> String) {
      if findings.count < 20 { findings.append("\(zone): \(finding())") }
    }
  }

  private let zone: Zone
  private let first: Day
  private let last: Day
  /// Returns the window of a date: the zone's own answer, which is being proved.
  var windowOfDay: @Sendable (Day) -> DayWindow?

  /// Creates a proof over `years`.
  package init(zone: Zone, years: ClosedRange<Int>) {
    self.zone = zone
    windowOfDay = { zone.window(of: $0) }
    first = Day(year: years.lowerBound, month: 1, day: 1) ?? Day(number: 0)
    last = Day(year: years.upperBound, month: 12, day: 31) ?? Day(number: 0)
  }

  /// Walks through all dates and hours.
  package func run() -> Result {
    var result = Result(zone: zone.name)
    let shown = datesShown()
    var previous: DayWindow?
    var day = first
    while day <= last {
      let window = windowOfDay(day)
      if (window != nil) != shown.contains(day) {
        result.find(
          "\(day) \(window == nil ? "has no window although clocks show it" : "has a window although no clock shows it")"
        )
      }
      if let window {
        check(window, after: previous, &result)
        previous = window
        result.days += 1
      } else {
        result.skipped += 1
      }
      day = day.adding(days: 1)
    }
    return result
  }

  /// Checks that windows follow each other without gap or overlap, and that every tested instant is in its own window.
  private func check(_ window: DayWindow, after previous: DayWindow?, _ result: inout Result) {
    if window.start >= window.end { result.find("\(window.day) ends before it starts") }
    if let previous {
      if previous.end != window.start {
        result.find("\(previous.day) ends \(previous.end), \(window.day) starts \(window.start)")
      }
      if zone.nextWindow(after: previous) != window {
        result.find("\(window.day) is not what follows \(previous.day)")
      }
    }
    let middle = window.start.adding(seconds: window.end.seconds(since: window.start) / 2)
    let beforeEnd = Instant(seconds: window.end.seconds - 1, nanoseconds: 999_999_999)
    for instant in [window.start, middle, beforeEnd] {
      result.instants += 1
      if zone.window(containing: instant) != window {
        result.find("\(instant) is not found in \(window.day)")
      }
    }
    // The label is the furthest date that clocks have shown so far, never later than the day's own.
    if zone.localDateTime(at: window.start).day != window.day {
      result.find("\(window.day) starts at \(window.start), when clocks show another date")
    }
  }

  /// Returns every date that a clock shows in the span, checked every half hour, since no offset changes for less.
  private func datesShown() -> Set<Day> {
    var shown: Set<Day> = []
    var seconds = Int64(first.number) * 86_400 - 86_400
    let end = Int64(last.number) * 86_400 + 2 * 86_400
    while seconds < end {
      shown.insert(zone.localDateTime(at: Instant(seconds: seconds)).day)
      seconds += 1_800
    }
    return shown
  }
}
