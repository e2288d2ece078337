internal import CivilTime
internal import Scheduling
internal import Threading

/// The end of a look: so many seconds after its first request left, whatever it still waits for then.
///
/// It stands for all that one look does, logins and retries included, so it goes with the task.
final class LookDeadline: Sendable {
  /// How long a look may take.
  static let seconds = 30.0
  /// Less than this is not worth a request.
  static let leastSeconds = 0.1

  /// The deadline of the look that this task makes; nil outside of one.
  @TaskLocal static var current: LookDeadline?

  /// What the look that this task makes has left, by a clock that passes; without end outside of one.
  static func secondsLeft(by clock: any ServiceClock) -> Double {
    current?.secondsLeft(at: clock.passing()) ?? .infinity
  }

  private let begin = Lock<Instant?>(nil)

  /// Notes that a request leaves; the first one counts.
  func noteSent(at now: Instant) { begin.withLock { $0 = $0 ?? now } }

  /// What is left of the look; all of it before the first request.
  func secondsLeft(at now: Instant) -> Double {
    Self.seconds - (begin.withLock { $0.map { now.interval(since: $0) } } ?? 0)
  }
}
