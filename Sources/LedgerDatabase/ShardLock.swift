internal import Files
internal import Glibc
internal import PostgreSQL
internal import Threading

/// The lease on a shard in the place of a file's lock: renewed on a thread of its own until the value goes away, then given
/// back.
final class ShardLock: HeldLock {
  private let writer: ShardWriter
  private let ended = Lock(false)

  var isLost: Bool { writer.standing == .lost }

  /// Takes the lease; waits while its holder shows no life, until it ends. Throws `EAGAIN` when somebody else has it.
  init(
    _ writer: ShardWriter, path: String, time: WorkerTime
  ) throws(FileError) {
    self.writer = writer
    writer.begin()
    while writer.token == nil {
      writer.ask()
      switch writer.standing {
      case .holding: break
      case .waiting(let holding, let askAt):
        if holding.isAlive { throw FileError.held(by: holding.holder, path: path) }
        time.pause(max(0.1, askAt - time.now()))
      case .out, .lost:
        throw FileError(operation: "take the lease", path: path, code: ENOTCONN)
      }
    }
    let ended = self.ended
    ownThread(named: "lease") {
      while !ended.withLock({ $0 }), let next = writer.nextQuestion {
        let wait = next - time.now()
        if wait > 0 { time.pause(min(wait, 0.2)) } else { writer.ask() }
      }
    }
  }

  deinit {
    ended.withLock { $0 = true }
    writer.giveBack()
  }
}
