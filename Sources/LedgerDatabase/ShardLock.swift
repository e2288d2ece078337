internal import Files
internal import Glibc
internal import PostgreSQL
internal import Threading

/// The lease on a shard in the place of a file's lock: renewed on a thread of its own until the value goes away, then given
/// back.
final class ShardLock: HeldLock {
  private let writer: ShardWriter
  private let ended = Lock(false)
  /// Who is to hear of the loss; nil once all have been told.
  private let listeners = Lock<[@Sendable () -> Void]?>([])

  var isLost: Bool { writer.standing == .lost }
  var doubt: String? { writer.renewalFailure.map { "the lease cannot be renewed: \($0)" } }

  /// Takes the lease; waits while its holder shows no life, until it ends. Throws `EAGAIN` when somebody else has it.
  init(
    _ writer: ShardWriter, path: String, time: WorkerTime
  ) throws(FileError) {
    guard writer.begin() else { throw FileError.held(by: writer.worker, path: path) }
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
      if case .waiting(let holding, let askAt) = writer.standing {
        if holding.isAlive || time.now() > giveUpAt {
          throw FileError.held(by: holding.holder, path: path)
        }
        time.pause(max(0.1, askAt - time.now()))
      }
    }
    // Not before: what a failed init leaves must give nothing back.
    self.writer = writer
    let (ended, listeners) = (self.ended, self.listeners)
    ownThread(named: "lease") {
      while !ended.withLock({ $0 }), let next = writer.nextQuestion {
        let wait = next - time.now()
        if wait > 0 { time.pause(min(wait, 0.2)) } else { writer.renew() }
      }
      guard writer.standing == .lost else { return }
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
