import Foundations
import Glibc

/// A terminal whose output goes through a pager, as git's does.
///
/// The pager starts with the first byte. It is the program in `$REWARDS_PAGER`, else in `$PAGER`, else `less -FRX`; output goes straight to
/// the terminal when the variable is empty or says `cat`, and when the program cannot be started.
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

  /// Returns the words of the pager's command line; none where no pager is wanted. Words are divided by spaces.
  static func words(_ variables: [String: String]) -> [String] {
    if ["", "dumb"].contains(variables["TERM"] ?? "") { return [] }
    let line = variables["REWARDS_PAGER"] ?? variables["PAGER"] ?? "less -FRX"
    let words = line.split(separator: " ").map { String($0) }
    return words == ["cat"] ? [] : words
  }

  private func start() -> State {
    let words = Self.words(variables)
    var ends: [Int32] = [-1, -1]
    guard let program = words.first, pipe(&ends) == 0 else { return .direct }
    defer { close(ends[0]) }
    let environment = variables.merging(["LESS": "FRX", "LV": "-c"]) { own, _ in own }
    guard
      let pager = try? ChildProcess(
        program, Array(words.dropFirst()), environment: environment, input: .descriptor(ends[0]))
    else {
      close(ends[1])
      return .direct
    }
    // Whoever interrupts the pager goes on reading in it.
    signal(SIGINT, SIG_IGN)
    return .paging(pager, into: DescriptorSink(descriptor: ends[1]), ends[1])
  }
}
