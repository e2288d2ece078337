import CivilTime
import LedgerDatabase
import Operations
import Scheduling

/// Lets all workers of a database wait when the API has told one of them to, by `Retry-After`, and all ledgers of this one.
struct PauseSharing: Sendable {
  /// How often it is told and asked, in seconds.
  private static let everySeconds = 1.0

  let database: AttachedDatabase
  let pause: SharedPause
  let clock: any ServiceClock
  /// The services of this worker.
  let services: @Sendable () -> [Service]

  /// Tells and asks until it is cancelled; owns a unit of tracked work meanwhile.
  func run() async {
    while !Task.isCancelled {
      let services = services()
      let own = services.compactMap(\.apiPausedUntil).max()
      // A database that does not answer is told of by whoever writes to it.
      if let until = try? await database.run({ [pause] _ in try pause.exchange(own) }) {
        for service in services { service.pauseAPI(until: until) }
      }
      try? await clock.sleep(seconds: Self.everySeconds)
    }
  }
}
