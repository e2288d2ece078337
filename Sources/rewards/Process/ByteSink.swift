/// Where a command's bytes go.
protocol ByteSink: Sendable {
  /// Whether a person is looking.
  var isTerminal: Bool { get }
  /// Whether what is written is lost: who still has much to write may stop.
  var isBroken: Bool { get }
  /// Writes all of `bytes` before it returns. Never throws: what failed is asked for at the end.
  func write(_ bytes: [UInt8])
  /// Writes a whole line, whatever became of those before; false when it is not there as a whole.
  func tryToWrite(line: [UInt8]) -> Bool
}

extension ByteSink {
  var isBroken: Bool { false }

  func tryToWrite(line: [UInt8]) -> Bool {
    write(line)
    return true
  }

  /// Writes a text.
  func write(_ text: String) { write(Array(text.utf8)) }
}
