internal import CivilTime
internal import Foundations
internal import Scheduling

/// The end of a poll: a fixed time after its first request was sent, whatever it is still waiting for.
///
/// It covers everything that one poll does, including logins and retries, so it belongs to the task.
final class LookDeadline: Sendable {
  /// How long a poll may take.
  static let seconds = 30.0
  /// The minimum time worth a request.
  static let leastSeconds = 0.1

  /// The deadline of this task's poll; nil outside one.
  @TaskLocal static var current: LookDeadline?

  /// Returns the time left for this task's poll, by a clock that passes; infinite outside one.
  static func secondsLeft(by clock: any ServiceClock) -> Double {
    current?.secondsLeft(at: clock.passing()) ?? .infinity
  }

  private let begin = Lock<Instant?>(nil)

  /// Records that a request is sent; the first one counts.
  func noteSent(at now: Instant) { begin.withLock { $0 = $0 ?? now } }

  /// Returns the time left for the poll; all of it before the first request.
  func secondsLeft(at now: Instant) -> Double {
    Self.seconds - (begin.withLock { $0.map { now.interval(since: $0) } } ?? 0)
  }
}
