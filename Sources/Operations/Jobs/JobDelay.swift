import CivilTime
import Foundations
import Scheduling

/// A job's wait for other shards before it can close, with a warning when it takes long.
final class JobDelay: Sendable {
  /// The wait after which to warn, in seconds.
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

  /// The close that is waiting; nil for none.
  var deferred: DeferredClose? { state.withLock { $0.deferred } }

  /// Notes the close that is waiting; nil when none is.
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
      "a close has waited long for other shards: make sure that they are served, or run rewards reconcile --confirm",
      ["what": .text(deferred.text)])
  }
}
