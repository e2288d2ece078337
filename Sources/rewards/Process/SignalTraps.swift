import Dispatch
import Failures
import Glibc
import LinuxShims

/// Turns SIGTERM, SIGINT and SIGHUP into calls, from its creation until its release.
///
/// Uses a handler that writes to a pipe. A Dispatch signal source loses signals that arrive between its creation and its registration, or
/// on a thread that has the signal unblocked.
final class SignalTraps {
  private static let numbers = [SIGTERM, SIGINT, SIGHUP]

  private let source: any DispatchSourceRead

  /// Calls `stop` on SIGTERM and SIGINT, and `reload` on SIGHUP, one call at a time. Only one instance may be alive at a time.
  init(
    stop: @escaping @Sendable () -> Void, reload: @escaping @Sendable () -> Void
  ) throws(Failure) {
    let pipe = linux_open_signal_pipe()
    guard pipe >= 0 else {
      throw Failure(
        .unavailable, "cannot receive signals: \(String(cString: strerror(errno)))",
        remedy: "Check whether the process may open more files (ulimit -n).")
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

  /// Restores the signals' default actions.
  func release() {
    for number in Self.numbers { signal(number, SIG_DFL) }
    linux_close_signal_pipe()
    source.cancel()
  }
}
