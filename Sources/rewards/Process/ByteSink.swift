/// Where a command's bytes go.
protocol ByteSink: Sendable {
  /// Whether a person is looking.
  var isTerminal: Bool { get }
  /// Writes all of `bytes` before it returns. Never throws: what failed is asked for at the end.
  func write(_ bytes: [UInt8])
}

extension ByteSink {
  /// Writes a text.
  func write(_ text: String) { write(Array(text.utf8)) }
}
