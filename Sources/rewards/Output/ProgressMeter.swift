import CivilTime

/// The progress of a piece of work, and when to redraw its line. Pure.
struct ProgressMeter {
  private static let redrawNanoseconds: Int64 = 100_000_000
  private static let barWidth = 24

  private let label: String
  /// The number of pieces; it may become known later.
  var total: Int { didSet { total = max(total, 1) } }
  private let start: Instant
  private var lastDrawn: Instant?
  /// Whether a line was ever drawn.
  var isDrawn: Bool { lastDrawn != nil }

  init(_ label: String, total: Int, start: Instant) {
    self.label = label
    self.total = max(total, 1)
    self.start = start
  }

  /// Returns the line to draw when `done` pieces are done; nil when it was drawn a moment ago.
  mutating func line(done: Int, now: Instant) -> String? {
    if let lastDrawn, done < total, nanoseconds(from: lastDrawn, to: now) < Self.redrawNanoseconds {
      return nil
    }
    lastDrawn = now
    let share = min(Double(done) / Double(total), 1)
    let filled = Int(share * Double(Self.barWidth))
    let bar =
      String(repeating: "#", count: filled)
      + String(repeating: "-", count: Self.barWidth - filled)
    return "\(label) [\(bar)] \(Int(share * 100)) %\(speed(done: done, now: now))"
  }

  private func speed(done: Int, now: Instant) -> String {
    let seconds = Double(nanoseconds(from: start, to: now)) / 1e9
    guard seconds > 0, done > 0 else { return "" }
    let rate = Double(done) / seconds
    let left = Int((Double(max(total - done, 0)) / rate).rounded(.up))
    return ", \(Int(rate))/s, \(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left"
  }

  private func nanoseconds(from earlier: Instant, to later: Instant) -> Int64 {
    (later.seconds - earlier.seconds) * 1_000_000_000
      + Int64(later.nanoseconds) - Int64(earlier.nanoseconds)
  }
}
