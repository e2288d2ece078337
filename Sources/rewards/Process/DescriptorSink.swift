import Foundations
import Glibc

/// A sink that writes to a file descriptor at once, so that a crash loses nothing. Waits while the descriptor accepts no data.
final class DescriptorSink: ByteSink {
  private struct State {
    /// The error number of the first write that failed, or nil.
    var failure: Int32?
    /// Whether the last write stopped within a line.
    var isMidLine = false
  }

  let isTerminal: Bool
  private let descriptor: Int32
  private let state = Lock(State())

  init(descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
  }

  var columns: Int? {
    var size = winsize()
    guard isTerminal, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
    else { return nil }
    return Int(size.ws_col)
  }

  /// The error number of the first write that failed, or nil.
  var failure: Int32? { state.withLock { $0.failure } }

  var isBroken: Bool { failure != nil }

  func write(_ bytes: [UInt8]) {
    state.withLock { state in
      // Write nothing more after a failure: a gap in the middle would go unnoticed.
      if state.failure == nil { state.failure = attempt(bytes).failure }
    }
  }

  func tryToWrite(line: [UInt8]) -> Bool {
    state.withLock { state in
      let start: [UInt8] = state.isMidLine ? [UInt8(ascii: "\n")] : []
      let (written, failure) = attempt(start + line)
      if written > 0 { state.isMidLine = failure != nil }
      return failure == nil
    }
  }

  private func attempt(_ bytes: [UInt8]) -> (written: Int, failure: Int32?) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        written += count
      } else if errno == EAGAIN {
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&room, 1, -1)
      } else if errno != EINTR {
        return (written, errno)
      }
    }
    return (written, nil)
  }
}
