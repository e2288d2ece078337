import Dispatch
import Failures
import Glibc
import LinuxShims

/// Turns SIGTERM, SIGINT and SIGHUP into calls, from the moment it is made until it is released.
///
/// By a handler that writes to a pipe. A signal source of Dispatch loses what arrives between its making and its
/// registration, and what reaches a thread that has the signal unblocked.
final class SignalTraps {
  private static let numbers = [SIGTERM, SIGINT, SIGHUP]

  private let source: any DispatchSourceRead

  /// Traps: `stop` on SIGTERM and SIGINT, `reload` on SIGHUP; called one at a time. One instance at a time is alive.
  init(
    stop: @escaping @Sendable () -> Void, reload: @escaping @Sendable () -> Void
  ) throws(Failure) {
    let pipe = linux_open_signal_pipe()
    guard pipe >= 0 else {
      throw Failure(
        .unavailable, "signals cannot be taken: \(String(cString: strerror(errno)))",
        remedy: "See whether the process may open more files (ulimit -n).")
    }
    source = DispatchSource.makeReadSource(
      fileDescriptor: pipe, queue: DispatchQueue(label: "rewards.signals"))
    source.setEventHandler {
      var number: UInt8 = 0
      while read(pipe, &number, 1) == 1 {
        if Int32(number) == SIGHUP { reload() } else { stop() }
      }
    }
    source.setCancelHandler { close(pipe) }
    source.resume()
    for number in Self.numbers { linux_forward_signal(number) }
  }

  /// Gives the signals back their default actions.
  func release() {
    for number in Self.numbers { signal(number, SIG_DFL) }
    linux_close_signal_pipe()
    source.cancel()
  }
}
