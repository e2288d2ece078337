package import CivilTime
import Foundations

/// Proves for random changes of zone that a user's days tile time and no date occurs twice.
package struct ZoneChangeProof: Sendable {
  private let zones: any ZoneSource
  private let names: [String]
  private let years: ClosedRange<Int>

  /// Creates a proof with users who move among `names`.
  package init(zones: any ZoneSource, names: [String], years: ClosedRange<Int>) {
    self.zones = zones
    self.names = names
    self.years = years
  }

  /// Walks through a year of a user who begins in `home` and changes zones at random, determined by `seed`.
  package func run(home: String, seed: UInt64, into result: inout ZoneProof.Result) {
    var random = SplitMix64(seed: seed)
    let span = UInt64(years.upperBound - years.lowerBound)
    let year = years.lowerBound + (span == 0 ? 0 : Int(random.next() % span))
    guard let day = Day(year: year, month: 1, day: 1), let zone = try? zones.zone(named: home),
      let first = zone.window(of: day)
    else { return }
    let changes = changes(from: first.start, &random)
    let horizon = first.start.adding(seconds: 366 * 86_400)
    var label = day.adding(days: -1)
    var boundary = first.start
    var current = home
    while boundary < horizon {
      guard
        let window = try? UserCalendar.next(
          afterDay: label, endingAt: boundary, currentZone: current, changes: changes, zones: zones)
      else { return result.find("seed \(seed): no window after \(label)") }
      result.userDays += 1
      if window.start != boundary || window.end <= window.start {
        result.find(
          "seed \(seed): \(window.day) is \(window.start) to \(window.end), after \(boundary)")
      }
      if window.day <= label { result.find("seed \(seed): \(window.day) comes after \(label)") }
      if (try? zones.zone(named: window.zone))?.window(of: window.day)?.end != window.end {
        result.find("seed \(seed): \(window.day) does not end with its zone \(window.zone)")
      }
      label = window.day
      boundary = window.end
      current = window.zone
    }
  }

  /// Returns up to forty changes in the year, some within minutes of each other.
  private func changes(from start: Instant, _ random: inout SplitMix64) -> [ZoneChange] {
    var changes: [ZoneChange] = []
    for _ in 0..<random.next() % 40 {
      var at = start.adding(seconds: Int64(random.next() % (365 * 86_400)))
      for _ in 0...random.next() % 3 {
        changes.append(ZoneChange(at: at, zone: names[Int(random.next() % UInt64(names.count))]))
        at = at.adding(seconds: Int64(random.next() % 90_000))
      }
    }
    return changes.sorted { $0.at < $1.at }
  }
}
