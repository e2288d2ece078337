import Glibc
import Threading

/// A sink that writes to a file descriptor at once, so that nothing is lost in a crash.
final class DescriptorSink: ByteSink {
  let isTerminal: Bool
  private let descriptor: Int32
  private let firstFailure = Lock<Int32?>(nil)

  init(descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
  }

  /// The error number of the first write that failed, or nil.
  var failure: Int32? { firstFailure.withLock { $0 } }

  var isBroken: Bool { failure != nil }

  func write(_ bytes: [UInt8]) {
    firstFailure.withLock { failure in
      if failure != nil { return }
      var written = 0
      while written < bytes.count {
        let count = bytes[written...].withUnsafeBytes {
          Glibc.write(descriptor, $0.baseAddress, $0.count)
        }
        if count > 0 {
          written += count
        } else if errno != EINTR {
          failure = errno
          return
        }
      }
    }
  }
}
