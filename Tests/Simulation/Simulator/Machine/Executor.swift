import ExecutorHooks
import Foundations

/// Which of the simulated processes something belongs to.
typealias ProcessNumber = Int

/// The one executor of a simulation: everything that runs is a step of it, and the seed decides which of the steps that are ready
/// is made next.
///
/// Steps are jobs of Swift's concurrency and pieces of work that would block a thread. A step belongs to the process whose step
/// made it ready. The steps of a process that has died are never made. Everything happens on the thread that calls ``run()``.
final class Executor: Sendable {
  /// Jobs come from hooks that know no object.
  static let shared = Executor()

  private enum Step {
    case job(UnsafeMutableRawPointer)
    case line(Int)
  }

  private struct State {
    var random = SplitMix64(seed: 0)
    var ready: [(process: ProcessNumber, step: Step)] = []
    var lines: [Int: [@Sendable () -> Void]] = [:]
    var lastLine = 0
    var process: ProcessNumber = 0
    var dead: Set<ProcessNumber> = []
    /// What dead processes left: to let it go would run their clean-up, and complain that nobody did their work.
    var graveyard: [any Sendable] = []
    var stepCount = 0
  }

  private let state = Lock<State>(State())

  private init() {}

  /// Takes all jobs and all blocking work of this process over, for good. To be called once, before anything else.
  static func install() {
    precondition(
      executor_take_all_jobs { job in
        if let job { Executor.shared.takeOver(job) }
      } == 0, "this Swift runtime lets nobody take its jobs over")
    Threads.replace(by: shared)
  }

  /// Begins a simulation: whatever is left of the last one is never run.
  func begin(seed: UInt64) {
    state.withLock { state in
      // Jobs that are dropped keep what they hold for ever: nothing of a dead process is cleaned up.
      let graveyard = state.graveyard + [state.lines]
      state = State(random: SplitMix64(seed: seed, 0xE8EC), graveyard: graveyard)
    }
  }

  /// Never lets something go that dead processes may hold on to.
  func bury(_ remains: any Sendable) { state.withLock { $0.graveyard.append(remains) } }

  /// The process whose step is being made.
  var process: ProcessNumber { state.withLock { $0.process } }
  /// How many steps were made so far.
  var stepCount: Int { state.withLock { $0.stepCount } }

  /// Does something in the name of a process, as waking its sleepers.
  func act<Result>(as process: ProcessNumber, _ body: () throws -> Result) rethrows -> Result {
    let before = state.withLock { state in
      let before = state.process
      state.process = process
      return before
    }
    defer { state.withLock { $0.process = before } }
    return try body()
  }

  /// Makes no step of a process from now on.
  func kill(_ process: ProcessNumber) { state.withLock { _ = $0.dead.insert(process) } }

  /// Whether a process has died.
  func isDead(_ process: ProcessNumber) -> Bool { state.withLock { $0.dead.contains(process) } }

  /// Makes one step; false when none is ready.
  func step() -> Bool {
    while true {
      let next = state.withLock { state -> (Step, (@Sendable () -> Void)?)? in
        guard !state.ready.isEmpty else { return nil }
        let index = Int(state.random.next() % UInt64(state.ready.count))
        state.ready.swapAt(index, state.ready.count - 1)
        let (process, step) = state.ready.removeLast()
        state.process = process
        state.stepCount += 1
        if state.dead.contains(process) { return (.line(0), nil) }
        guard case .line(let line) = step else { return (step, nil) }
        let work = state.lines[line]?.removeFirst()
        if state.lines[line]?.isEmpty == true {
          state.lines[line] = nil
        } else {
          state.ready.append((process, step))
        }
        return (step, work)
      }
      switch next {
      case nil: return false
      case (.job(let job), _)?: executor_run_job(job)
      case (.line, let work?)?: work()
      case (.line, nil)?: continue
      }
      state.withLock { $0.process = 0 }
      return true
    }
  }

  private func takeOver(_ job: UnsafeMutableRawPointer) {
    nonisolated(unsafe) let job = job
    state.withLock { $0.ready.append(($0.process, .job(job))) }
  }
}

extension Executor: ThreadSubstitute {
  func makeLine() -> Int {
    state.withLock { state in
      state.lastLine += 1
      return state.lastLine
    }
  }

  func start(onLine line: Int, _ work: @escaping @Sendable () -> Void) {
    state.withLock { state in
      // Whoever is first in a line makes it ready.
      if state.lines[line] == nil { state.ready.append((state.process, .line(line))) }
      state.lines[line, default: []].append(work)
    }
  }
}
