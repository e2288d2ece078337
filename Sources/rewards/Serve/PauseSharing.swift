import CivilTime
import LedgerDatabase
import Operations
import Scheduling

/// Pauses every worker of a database, and every ledger of this one, when the API has sent one of them a `Retry-After`.
struct PauseSharing: Sendable {
  /// How often workers exchange pauses, in seconds.
  private static let everySeconds = 1.0

  let database: AttachedDatabase
  let pause: SharedPause
  let clock: any ServiceClock
  /// The services of this worker.
  let services: @Sendable () -> [Service]

  /// Exchanges pauses until cancelled; owns a unit of tracked work meanwhile.
  func run() async {
    while !Task.isCancelled {
      let services = services()
      let own = services.compactMap(\.apiPausedUntil).max()
      // Writers report a database that does not answer.
      if let until = try? await database.run({ [pause] _ in try pause.exchange(own) }) {
        for service in services { service.pauseAPI(until: until) }
      }
      try? await clock.sleep(seconds: Self.everySeconds)
    }
  }
}
