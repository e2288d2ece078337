import CivilTime

/// Lanes that go on at an instant of their own.
struct WaitingLanes: Sendable {
  private var dues: [Lane: Instant] = [:]
  /// When the first of them may go on; nil when none waits.
  private(set) var earliest: Instant?

  /// How many wait.
  var count: Int { dues.count }

  /// Lets `lane` wait until `due`.
  mutating func add(_ lane: Lane, until due: Instant) {
    dues[lane] = due
    earliest = min(earliest ?? due, due)
  }

  /// Lets all of them go on at once.
  mutating func release() {
    dues = dues.mapValues { _ in .earliest }
    earliest = dues.isEmpty ? nil : .earliest
  }

  /// Takes lanes out whose time has come, the earliest first, at most `limit`.
  mutating func dequeueDue(at now: Instant, limit: Int) -> [Lane] {
    guard let earliest, earliest <= now else { return [] }
    let due = dues.filter { $0.value <= now }
      .sorted {
        ($0.value, $0.key.user, $0.key.kind.rawValue) < (
          $1.value, $1.key.user, $1.key.kind.rawValue
        )
      }
      .prefix(limit).map(\.key)
    for lane in due { dues[lane] = nil }
    self.earliest = dues.values.min()
    return due
  }
}
