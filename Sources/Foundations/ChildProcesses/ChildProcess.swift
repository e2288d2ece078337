internal import Dispatch
package import Failures
internal import Glibc
internal import LinuxShims

/// A program that this process has started.
///
/// It is started by `posix_spawn`, so any number of threads may start programs at once, and it inherits no descriptor except its
/// three standard streams. A separate thread waits for its end: neither ``ended()`` nor ``outcome`` blocks.
package final class ChildProcess: Sendable {
  /// The target of a child's standard stream.
  package enum Stream: Sendable {
    /// `/dev/null`.
    case null
    /// This process's own stream of the same number.
    case inherited
    /// A file, read from its beginning; for output, created for its owner only and appended to.
    case file(String)
    /// An open descriptor of this process, which remains the caller's.
    case descriptor(Int32)
  }

  /// How a program ended.
  package enum Outcome: Sendable, Equatable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  private enum State {
    case running([@Sendable (Outcome) -> Void])
    case ended(Outcome)
  }

  /// This process's children that have not been waited for.
  static let alive = Lock<Set<Int32>>([])

  /// The child's process id; it may be reused as soon as the child has ended.
  package let pid: Int32
  private let leadsGroup: Bool
  private let state = Lock(State.running([]))
  /// Whether it was told to end, along with everything it has started.
  private let isCutShort = Lock(false)

  /// Starts `executable` with `arguments` (without its own name), exactly this `environment` and these streams. Throws
  /// ``SpawnError`` if the program cannot be started.
  ///
  /// Without an environment, the child gets this process's own. A name without a slash is looked up in this process's `PATH`.
  /// With `leadsGroup`, the child and everything it starts form a separate process group, which ``cutShort(withinSeconds:)``
  /// signals.
  package init(
    _ executable: String, _ arguments: [String], environment: [String: String]?,
    folder: String? = nil, input: Stream = .null, output: Stream = .inherited,
    errors: Stream = .inherited, leadsGroup: Bool = false
  ) throws(SpawnError) {
    self.leadsGroup = leadsGroup
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    Self.connect(input, to: STDIN_FILENO, O_RDONLY, &actions)
    Self.connect(output, to: STDOUT_FILENO, O_WRONLY | O_CREAT | O_APPEND, &actions)
    Self.connect(errors, to: STDERR_FILENO, O_WRONLY | O_CREAT | O_APPEND, &actions)
    linux_spawn_close_and_enter(&actions, STDERR_FILENO + 1, folder)

    // Signals that this process ignores or blocks have their default effect in the child.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK)
        | (leadsGroup ? Int16(POSIX_SPAWN_SETPGROUP) : 0))

    let variables = environment?.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    var pid: pid_t = 0
    // It must not be taken for an orphan before it is registered.
    let code = Self.alive.withLock { alive in
      let code = Self.withCStrings([executable] + arguments) { words in
        guard let variables else {
          return posix_spawnp(&pid, executable, &actions, &attributes, words, environ)
        }
        return Self.withCStrings(variables) { variables in
          posix_spawnp(&pid, executable, &actions, &attributes, words, variables)
        }
      }
      if code == 0 { alive.insert(pid) }
      return code
    }
    guard code == 0 else { throw SpawnError(executable: executable, code: code) }
    self.pid = pid
    ownThread(named: "child-\(pid)") { [self] in waitForTheEnd() }
  }

  /// How the child ended; nil while it is running.
  package var outcome: Outcome? {
    state.withLock { if case .ended(let outcome) = $0 { outcome } else { nil } }
  }

  /// Suspends until the child has ended; any number of tasks may wait.
  package func ended() async -> Outcome {
    await withCheckedContinuation { waiter in whenEnded { waiter.resume(returning: $0) } }
  }

  /// Blocks the calling thread until the child has ended: never on the cooperative pool.
  package func waitUntilEnded() -> Outcome {
    let isOver = DispatchSemaphore(value: 0)
    whenEnded { _ in isOver.signal() }
    while true {
      if let outcome { return outcome }
      isOver.wait()
    }
  }

  private func whenEnded(_ body: @escaping @Sendable (Outcome) -> Void) {
    let outcome = state.withLock { state -> Outcome? in
      switch state {
      case .ended(let outcome): return outcome
      case .running(let waiters):
        state = .running(waiters + [body])
        return nil
      }
    }
    if let outcome { body(outcome) }
  }

  /// Sends a signal; does nothing if the child has ended.
  package func send(signal: Int32) {
    state.withLock { if case .running = $0 { _ = kill(pid, signal) } }
  }

  /// Sends SIGTERM to the child's whole group, and SIGKILL to whatever is left once the child has ended, or after `seconds`.
  package func cutShort(withinSeconds seconds: Int32) {
    isCutShort.withLock { $0 = true }
    sendToGroup(SIGTERM)
    ownThread(named: "child-end-\(pid)") { [self] in
      var left = seconds * Self.looksPerSecond
      while left > 0, outcome == nil {
        _ = poll(nil, 0, 1_000 / Self.looksPerSecond)
        left -= 1
      }
      sendToGroup(SIGKILL)
    }
  }

  private static let looksPerSecond: Int32 = 10

  private func sendToGroup(_ signal: Int32) {
    state.withLock { if case .running = $0 { _ = kill(leadsGroup ? -pid : pid, signal) } }
  }

  private func waitForTheEnd() {
    // Leaves the child in place, so that its process id is not reused before the state says that it has ended.
    var info = siginfo_t()
    while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    if isCutShort.withLock({ $0 }) { sendToGroup(SIGKILL) }
    defer { Self.alive.withLock { _ = $0.remove(pid) } }
    let (outcome, waiters) = state.withLock {
      state -> (Outcome, [@Sendable (Outcome) -> Void]) in
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
      let signal = status & 0x7f
      let outcome: Outcome = signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: signal)
      guard case .running(let waiters) = state else { return (outcome, []) }
      state = .ended(outcome)
      return (outcome, waiters)
    }
    for waiter in waiters { waiter(outcome) }
  }

  private static func connect(
    _ stream: Stream, to descriptor: Int32, _ flags: Int32,
    _ actions: inout posix_spawn_file_actions_t
  ) {
    switch stream {
    case .null: posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", flags, 0)
    case .inherited: break
    case .file(let path): posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
    case .descriptor(let own): posix_spawn_file_actions_adddup2(&actions, own, descriptor)
    }
  }

  /// Calls `body` with a null-terminated array of C strings.
  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}

/// A program that could not be started.
package struct SpawnError: Error, CustomStringConvertible {
  /// The program to be started.
  package let executable: String
  /// The system's error number.
  package let code: Int32

  /// The program, and why it could not be started.
  package var description: String {
    "cannot start \(executable): \(String(cString: strerror(code)))"
  }
}

extension SpawnError: FailureConvertible {
  /// A failed system call.
  package var failure: Failure { Failure(.inputOutput, description) }
}
