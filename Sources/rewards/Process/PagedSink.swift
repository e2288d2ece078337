import Foundations
import Glibc

/// A terminal whose output goes through a pager, as git's does.
///
/// The pager starts with the first byte. It is the shell's command line in `$REWARDS_PAGER`, else in `$PAGER`, else `less -FRX`; output
/// goes straight to the terminal when the variable is empty or says `cat`, and when the program is missing or fails.
final class PagedSink: ByteSink {
  private enum State {
    case idle
    case direct
    case paging(ChildProcess, into: DescriptorSink, Int32)
  }

  let isTerminal = true
  private let terminal: DescriptorSink
  private let variables: [String: String]
  private let state = Lock(State.idle)

  /// Creates a pager in front of `terminal`, for a process with these environment variables.
  init(before terminal: DescriptorSink, _ variables: [String: String]) {
    self.terminal = terminal
    self.variables = variables
  }

  var columns: Int? { terminal.columns }

  var isBroken: Bool {
    state.withLock {
      if case .paging(_, let pipe, _) = $0 { pipe.isBroken } else { terminal.isBroken }
    }
  }

  func write(_ bytes: [UInt8]) {
    if bytes.isEmpty { return }
    let sink = state.withLock { state in
      if case .idle = state { state = start() }
      return if case .paging(_, let pipe, _) = state { pipe } else { terminal }
    }
    sink.write(bytes)
  }

  /// Ends the output and waits until the reader has left the pager.
  func finish() async {
    guard case .paging(let pager, _, let descriptor) = state.withLock({ $0 }) else { return }
    close(descriptor)
    _ = await pager.ended()
  }

  /// Returns the pager's command line for a shell; nil where no pager is wanted.
  static func line(_ variables: [String: String]) -> String? {
    if ["", "dumb"].contains(variables["TERM"] ?? "") { return nil }
    let line =
      variables["REWARDS_PAGER"] ?? variables["PAGER"]
      ?? "command -v less >/dev/null && less -FRX"
    return ["", "cat"].contains(line.split(separator: " ").joined(separator: " ")) ? nil : line
  }

  /// Returns the variables that a pager needs, without the secrets. Behind sudo, `less` starts no other program.
  static func environment(_ variables: [String: String]) -> [String: String] {
    var needed = variables.filter { name, _ in
      inherited.contains(name) || ["LC_", "LESS"].contains { name.hasPrefix($0) }
    }
    needed.merge(["LESS": "FRX", "LV": "-c"]) { own, _ in own }
    if variables["SUDO_UID"] != nil { needed["LESSSECURE"] = "1" }
    return needed
  }

  private static let inherited: Set = [
    "COLORTERM", "COLUMNS", "EDITOR", "HOME", "LANG", "LANGUAGE", "LINES", "LV", "MORE", "PATH",
    "SHELL", "TERM", "TERMINFO", "TERMINFO_DIRS", "USER", "VISUAL", "XDG_CONFIG_HOME",
    "XDG_DATA_HOME", "XDG_STATE_HOME",
  ]

  /// Runs the line given as `$0`. What a failing pager leaves unread, `cat` prints. Ctrl-C is the pager's: both shells wait for its end.
  private static let script = "trap exit INT; (trap : INT; eval \"$0\") || cat"

  private func start() -> State {
    var ends: [Int32] = [-1, -1]
    guard let line = Self.line(variables), pipe(&ends) == 0 else { return .direct }
    defer { close(ends[0]) }
    guard
      let pager = try? ChildProcess(
        "sh", ["-c", Self.script, line], environment: Self.environment(variables),
        input: .descriptor(ends[0]))
    else {
      close(ends[1])
      return .direct
    }
    // Whoever interrupts the pager goes on reading in it.
    signal(SIGINT, SIG_IGN)
    return .paging(pager, into: DescriptorSink(descriptor: ends[1]), ends[1])
  }
}
