import CivilTime

/// Checks that every zone's existing dates were closed exactly once, in order.
struct DemoCloses {
  let zones: any ZoneSource

  /// The findings of the check.
  struct Findings {
    var closes = 0
    var zones = 0
    /// Dates that were closed twice, late, or not at all, in words.
    var wrong: [String] = []
  }

  /// Checks each zone's dates from its first close to its last.
  func check(_ closes: [String: [DayWindow]]) throws -> Findings {
    var findings = Findings()
    findings.zones = closes.count
    for (name, windows) in closes.sorted(by: { $0.key < $1.key }) {
      let zone = try zones.zone(named: name)
      findings.closes += windows.count
      guard var expected = windows.first.flatMap({ zone.window(of: $0.day) }) else { continue }
      for window in windows {
        if window != expected {
          findings.wrong.append("\(name): \(window.day) was closed where \(expected.day) was due")
        }
        expected = zone.nextWindow(after: window)
      }
    }
    return findings
  }
}
