import Dispatch
import Glibc

/// Turns SIGTERM, SIGINT and SIGHUP into calls, for as long as it is held.
final class SignalTraps {
  private let sources: [any DispatchSourceSignal]

  /// Traps: `stop` on SIGTERM and SIGINT, `reload` on SIGHUP; called on a thread of their own.
  init(stop: @escaping @Sendable () -> Void, reload: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "rewards.signals")
    sources = [(SIGTERM, stop), (SIGINT, stop), (SIGHUP, reload)].map { number, call in
      // The default action would end the process before the source is asked.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler(handler: call)
      source.resume()
      return source
    }
  }

  /// Takes the traps away.
  func release() {
    for source in sources { source.cancel() }
  }
}
