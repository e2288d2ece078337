import Foundations

/// What happens to the clock of a service, or to its process.
enum ClockEvent: Sendable, Hashable {
  /// The hands are moved back by less than the guard minds.
  case discipline
  /// The hands are moved back, and the clock goes on from there.
  case back(seconds: Int64)
  /// The hands are moved forwards by less than a service may be idle.
  case forwards(seconds: Int64)
  /// The hands are moved ten years forwards, and back again before anybody confirms it.
  case decade
  /// The process does not run for a while.
  case stopped(seconds: Int64)

  static let hour: Int64 = 3_600
  static let day: Int64 = 86_400
  static let tenYears: Int64 = 3_653 * day

  /// The events of one life, each with the seconds that pass before it. All kinds come equally often over the seeds.
  static func plan(seed: Int, count: Int) -> [(wait: Int64, event: ClockEvent)] {
    var random = SplitMix64(seed: UInt64(seed), 77)
    return (0..<count).map { index in
      let event: ClockEvent =
        switch (seed * count + index) % 7 {
        case 0: .back(seconds: hour)
        case 1: .forwards(seconds: hour)
        case 2: .stopped(seconds: random.number(in: 600...40 * hour))
        case 3: .back(seconds: 3 * day)
        case 4: .forwards(seconds: 3 * day)
        case 5: .decade
        default: .discipline
        }
      return (random.number(in: 3 * hour...20 * hour), event)
    }
  }
}
