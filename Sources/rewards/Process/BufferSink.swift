import Foundations

/// A sink that collects what is written, for an answer to another process.
final class BufferSink: ByteSink {
  private let buffer = Lock<[UInt8]>([])

  let isTerminal = false

  /// Everything written so far.
  var bytes: [UInt8] { buffer.withLock { $0 } }

  func write(_ bytes: [UInt8]) { buffer.withLock { $0 += bytes } }
}
