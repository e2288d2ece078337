import Control
import Failures
import Operations
import Scheduling
import Threading

/// The commands of other processes that a service carries out: all broken off together when it ends.
///
/// A command that is broken off has written whole batches or nothing, and can be given again.
final class HostedCommands: Sendable {
  private struct State {
    var isEnding = false
    var next = 0
    var running: [Int: Task<ControlAnswer, Never>] = [:]
  }

  private let state = Lock(State())

  /// Carries a command out and returns its answer.
  func run(_ command: @escaping @Sendable () async -> ControlAnswer) async -> ControlAnswer {
    let (number, task) = state.withLock { state in
      let task = Task { await command() }
      state.next += 1
      if state.isEnding { task.cancel() } else { state.running[state.next] = task }
      return (state.next, task)
    }
    let answer = await task.value
    state.withLock { _ = $0.running.removeValue(forKey: number) }
    return answer
  }

  /// Breaks off what runs and what comes later.
  func cancelAll() {
    let tasks = state.withLock { state in
      state.isEnding = true
      return Array(state.running.values)
    }
    for task in tasks { task.cancel() }
  }
}

/// Runs a command line that another process sent, at the data folder that this process serves.
struct HostedCommand {
  private let runtime: Runtime
  private let environment: ProgramEnvironment

  init(_ runtime: Runtime, _ environment: ProgramEnvironment) {
    self.runtime = runtime
    self.environment = environment
  }

  /// The exit code and what the command printed. It runs for `account`, or when nil for the account at the other end of the socket.
  func run(_ request: ControlRequest, for account: String?) async -> ControlAnswer {
    let output = BufferSink()
    let errors = BufferSink()
    let input = request.input
    let caller = if let account { account } else { await Self.account(of: request) }
    let hosting = ProgramEnvironment(
      variables: environment.variables, output: output, errors: errors,
      clock: environment.clock, isClockShared: environment.isClockShared,
      zones: environment.zones, account: caller,
      reloadZones: environment.reloadZones, readInput: { _ in input }, hosted: runtime,
      database: environment.database)
    // A command is a task that may look: it owns a unit of tracked work.
    environment.clock.beginWork()
    let code = await Program(environment: hosting).run(request.words)
    environment.clock.endWork()
    return ControlAnswer(exitCode: code.rawValue, output: output.bytes, errors: errors.bytes)
  }

  /// Who asked: the account at the other end of the socket, never what the request says.
  private static func account(of request: ControlRequest) async -> String {
    guard let user = request.peerUser else { return "unknown" }
    let name = try? await BlockingThread(named: "rewards.account").run {
      CallingAccount.name(of: user)
    }
    return name ?? "uid \(user)"
  }
}

/// Keeps what is written, for an answer to another process.
final class BufferSink: ByteSink {
  private let buffer = Lock<[UInt8]>([])

  let isTerminal = false

  /// All that was written.
  var bytes: [UInt8] { buffer.withLock { $0 } }

  func write(_ bytes: [UInt8]) { buffer.withLock { $0 += bytes } }
}
