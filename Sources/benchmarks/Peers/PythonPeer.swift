import Foundations

/// A Python script that measures itself on request; its start-up is not measured.
final class PythonPeer {
  private let process: PeerProcess

  /// Starts `script`; nil if Python or the module is missing.
  init?(_ script: [UInt8], needing module: String, _ arguments: [String]) throws {
    guard PeerProcess.exists("python3"),
      try PeerProcess("python3", ["-W", "ignore", "-c", Self.probe, module]).wait() == .exited(0)
    else { return nil }
    let text = String(decoding: script, as: UTF8.self)
    process = try PeerProcess("python3", ["-c", text] + arguments)
  }

  deinit { process.wait() }

  /// Runs it once; returns the seconds it took and how much it counted.
  func run() throws -> (seconds: Double, count: Int) {
    let answer = try process.ask("run")
    let parts = answer.split(separator: " ")
    guard parts.count == 2, let seconds = Double(parts[0]), let count = Int(parts[1]) else {
      throw PeerFailure(what: "the Python peer answered \"\(answer)\"")
    }
    return (seconds, count)
  }

  private static let probe = """
    import importlib.util, sys
    sys.exit(0 if importlib.util.find_spec(sys.argv[1]) else 1)
    """
}
