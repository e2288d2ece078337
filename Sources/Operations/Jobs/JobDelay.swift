import CivilTime
import Scheduling
import Threading

/// That a job's closes wait for other shards: who should know is told when it takes long.
final class JobDelay: Sendable {
  /// After so long a wait somebody should know, in seconds.
  private static let longSeconds: Int64 = 600

  private struct State {
    var deferred: DeferredClose?
    var since: Instant?
    var isTold = false
  }

  private let runtime: Runtime
  private let troubles: Troubles?
  private let state = Lock(State())

  init(_ runtime: Runtime, _ troubles: Troubles?) {
    (self.runtime, self.troubles) = (runtime, troubles)
  }

  /// What is waited for; nil for nothing.
  var deferred: DeferredClose? { state.withLock { $0.deferred } }

  /// Notes what is waited for now; nil for nothing any more.
  func note(_ deferred: DeferredClose?) {
    let now = runtime.clock.now()
    let (isNew, isLong) = state.withLock { state in
      state.deferred = deferred
      guard deferred != nil else { return (false, false) }
      let isNew = state.since == nil
      let since = state.since ?? now
      state.since = since
      let isLong = !state.isTold && now.seconds(since: since) > Self.longSeconds
      state.isTold = state.isTold || isLong
      return (isNew, isLong)
    }
    guard let deferred else { return }
    if isNew {
      runtime.environment.log.info(
        "a close waits for other shards", ["what": .text(deferred.text)])
    }
    if isLong { complain(deferred) }
  }

  private func complain(_ deferred: DeferredClose) {
    troubles?.begin(.guarded, of: "\(deferred.close.place)", reason: deferred.text)
    runtime.environment.log.warning(
      "a close has long waited for other shards: see that they are served, or rewards reconcile --confirm",
      ["what": .text(deferred.text)])
  }
}
