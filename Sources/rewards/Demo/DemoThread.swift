import Dispatch
import ExecutorHooks
import Foundations
import Glibc

/// The one thread of a demo, which runs all tasks and all blocking work of the process in the order in which they became ready.
///
/// Work from other threads waits until nothing else is ready, and the thread itself decides the order of what arrives over connections
/// (``DemoConnections``). The order therefore depends on the world alone: the same seed gives the same ledger.
final class DemoThread: Sendable {
  private static let shared = DemoThread()

  // A job is a pointer, handed once to the thread that runs it.
  private enum Step: @unchecked Sendable {
    case job(UnsafeMutableRawPointer)
    case work(@Sendable () -> Void)
  }

  private struct State {
    var thread: pthread_t?
    var ready: [Step] = []
    /// The work from other threads.
    var arrived: [Step] = []
    /// The requests that wait until nothing is ready.
    var waiting: [CheckedContinuation<Int, Never>] = []
    /// The requests that left together, each with its continuation, resumed when all are answered.
    var travelling: [CheckedContinuation<Void, Never>?] = []
    var unanswered = 0
  }

  private let state = Lock(State())
  private let arrivals = DispatchSemaphore(value: 0)

  private init() {}

  /// Takes over all tasks and all blocking work of this process, for good; the caller continues there. Returns nil when the runtime does
  /// not allow it. Call it once, before anything runs beside the caller.
  static func takeOver() async -> DemoThread? {
    guard
      executor_take_jobs({ job in
        if let job { DemoThread.shared.add(.job(job)) }
      }) == 0
    else { return nil }
    Threads.replace(by: shared)
    ownThread(named: "rewards.demo") { shared.run() }
    await Task.yield()
    return shared
  }

  /// Waits until requests may leave; returns this one's number among those that leave together.
  func departure() async -> Int {
    await withCheckedContinuation { request in state.withLock { $0.waiting.append(request) } }
  }

  /// Waits until all requests that left with this one are answered or have failed.
  func arrival(of number: Int) async {
    await withCheckedContinuation { request in
      // Only the thread resumes it: the last one must not continue before the others.
      state.withLock { state in
        state.travelling[number] = request
        state.unanswered -= 1
      }
    }
  }

  private func add(_ step: Step) {
    let isOwn = state.withLock { state in
      let isOwn = state.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
      if isOwn { state.ready.append(step) } else { state.arrived.append(step) }
      return isOwn
    }
    if !isOwn { arrivals.signal() }
  }

  private func run() -> Never {
    state.withLock { $0.thread = pthread_self() }
    while true {
      for step in takeReady() {
        switch step {
        case .job(let job): executor_run_job(job)
        case .work(let work): work()
        }
      }
    }
  }

  /// Returns the steps that are ready. When there are none, lets requests continue or leave, or waits for other threads.
  private func takeReady() -> [Step] {
    while true {
      let steps = state.withLock { state in
        if state.ready.isEmpty { swap(&state.ready, &state.arrived) }
        defer { state.ready.removeAll() }
        return state.ready
      }
      if !steps.isEmpty { return steps }
      if !releaseRequests() { arrivals.wait() }
    }
  }

  /// Resumes the requests that left together once all are answered, or lets waiting ones leave; returns false when there are none.
  private func releaseRequests() -> Bool {
    let (answered, leaving) = state.withLock { state in
      var leaving: [CheckedContinuation<Int, Never>] = []
      var answered: [CheckedContinuation<Void, Never>?] = []
      if state.unanswered == 0 {
        swap(&answered, &state.travelling)
        if answered.isEmpty { swap(&leaving, &state.waiting) }
        state.unanswered = leaving.count
      }
      if !leaving.isEmpty { state.travelling = Array(repeating: nil, count: leaving.count) }
      return (answered, leaving)
    }
    for request in answered { request?.resume() }
    for (number, request) in leaving.enumerated() { request.resume(returning: number) }
    return !answered.isEmpty || !leaving.isEmpty
  }
}

extension DemoThread: ThreadSubstitute {
  func makeLine() -> Int { 0 }

  func start(onLine line: Int, _ work: @escaping @Sendable () -> Void) { add(.work(work)) }
}
