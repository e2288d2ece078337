import Foundations

@testable import rewards

/// A sink that remembers what it was given.
final class MemorySink: ByteSink {
  let isTerminal: Bool
  private let bytes = Lock<[UInt8]>([])

  init(isTerminal: Bool = false) { self.isTerminal = isTerminal }

  var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

  func write(_ more: [UInt8]) { bytes.withLock { $0 += more } }
}
