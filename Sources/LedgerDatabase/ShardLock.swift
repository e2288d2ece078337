internal import Foundations
internal import Glibc

/// The lease on a shard, used as a file's lock: renewed on its own thread for the value's lifetime, then given back.
final class ShardLock: HeldLock {
  private let writer: ShardWriter
  private let ended = Lock(false)
  /// The callbacks for the loss of the lease; nil once all have been called.
  private let listeners = Lock<[@Sendable () -> Void]?>([])

  var isLost: Bool { writer.leaseState == .lost }
  var doubt: String? { writer.renewalFailure.map { "the lease cannot be renewed: \($0)" } }

  /// Takes the lease; waits for its end while its holder shows no life. Throws `EAGAIN` if another worker has it.
  init(
    _ writer: ShardWriter, path: String, time: WorkerTime
  ) throws(FileError) {
    guard writer.reset() else { throw FileError.held(by: writer.worker, path: path) }
    let giveUpAt = time.now() + LeaseMachine.lifeSeconds + LeaseMachine.renewalSeconds
    while writer.token == nil {
      do throws(DatabaseError) {
        try writer.acquire()
      } catch {
        guard error.wantsAnotherTry, time.now() < giveUpAt else {
          throw FileError(error, "take the lease", path: path)
        }
        time.pause(0.1)
      }
      if case .waiting(let holding, let askAt) = writer.leaseState {
        if holding.isAlive || time.now() > giveUpAt {
          throw FileError.held(by: holding.holder, path: path)
        }
        time.pause(max(0.1, askAt - time.now()))
      }
    }
    // Set last: a failed init must not give anything back.
    self.writer = writer
    let (ended, listeners) = (self.ended, self.listeners)
    ownThread(named: "lease") {
      while !ended.withLock({ $0 }), let next = writer.nextQuestion {
        let wait = next - time.now()
        if wait > 0 { time.pause(min(wait, 0.2)) } else { writer.renew() }
      }
      guard writer.leaseState == .lost else { return }
      let told = listeners.withLock { listeners in
        defer { listeners = nil }
        return listeners ?? []
      }
      for listener in told { listener() }
    }
  }

  func whenLost(_ body: @escaping @Sendable () -> Void) {
    let isTold = listeners.withLock { listeners in
      listeners?.append(body)
      return listeners == nil
    }
    if isTold { body() }
  }

  deinit {
    ended.withLock { $0 = true }
    writer.giveBack()
  }
}
