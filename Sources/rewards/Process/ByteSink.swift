/// A destination for a command's output.
protocol ByteSink: Sendable {
  /// Whether a person is watching.
  var isTerminal: Bool { get }
  /// The terminal's width; nil where there is none, or it does not tell.
  var columns: Int? { get }
  /// Whether output is being lost, so that long output may stop early.
  var isBroken: Bool { get }
  /// Writes all of `bytes` before it returns. Never throws; failures are checked at the end.
  func write(_ bytes: [UInt8])
  /// Writes a whole line, whatever became of earlier ones; returns false when not all of it was written.
  func tryToWrite(line: [UInt8]) -> Bool
}

extension ByteSink {
  var columns: Int? { nil }

  var isBroken: Bool { false }

  func tryToWrite(line: [UInt8]) -> Bool {
    write(line)
    return true
  }

  /// Writes text.
  func write(_ text: String) { write(Array(text.utf8)) }
}
