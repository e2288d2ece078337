internal import Files
internal import Ledger
internal import PostgreSQL
internal import Threading

/// The one place from which a shard's rows are changed: every change begins with a look at the token, in its own transaction.
///
/// Who commits held the lock of the shard's row and saw its own token there. Every acquisition raises the token, so after the
/// next one nothing with an older token commits, however long its worker slept or its packets travelled. Blocks; safe from
/// any thread.
final class ShardWriter: Sendable {
  /// What became of a transaction.
  enum Outcome: Equatable {
    case committed
    /// The token, or the head, was another.
    case fenced
    /// Nothing was done.
    case refused(DatabaseError)
    /// The connection broke after the commit was sent.
    case unknown(DatabaseError)
  }

  let shard: Int64
  let pool: DatabasePool
  /// What the database calls this worker.
  let worker: String
  private let lease = Lock(LeaseMachine())
  private let time: WorkerTime

  init(
    shard: Int64, pool: DatabasePool, worker: String, time: WorkerTime
  ) {
    (self.shard, self.pool, self.worker, self.time) = (shard, pool, worker, time)
  }

  /// Where the lease stands.
  var standing: LeaseMachine.Standing { lease.withLock { $0.standing } }
  /// The token to write with; nil without a lease.
  var token: Int64? { lease.withLock { $0.token } }
  /// Whether nobody else can have the lease now.
  var isSure: Bool {
    let now = time.now()
    return lease.withLock { $0.isSure(at: now) }
  }
  /// When the database is to be asked about the lease next, on the worker's clock; nil for never.
  var nextQuestion: Double? { lease.withLock { $0.nextQuestion } }

  /// The most tries of a transaction that the server asks to send again.
  private static let tries = 10

  /// Runs statements in one transaction behind a look at the token.
  func change(_ statements: [DatabaseStatement]) -> Outcome {
    transact(statements) { token in
      DatabaseStatement(
        "SELECT shard FROM rewards.shard WHERE shard = $1 AND token = $2 FOR SHARE",
        [.number(self.shard), .number(token)])
    }
  }

  /// Runs statements in one transaction that moves the head from `old` to `new` and makes the lease last.
  func extend(
    from old: ShardHead, to new: ShardHead, _ statements: (_ token: Int64) -> [DatabaseStatement]
  ) -> Outcome {
    guard let token else { return .fenced }
    return transact(statements(token)) { token in
      DatabaseStatement(
        """
        UPDATE rewards.shard SET seq = $3, hash = $4, at = $5, expires = now() + interval '15 seconds'
        WHERE shard = $1 AND token = $2 AND seq = $6 AND hash = $7
        """,
        [.number(self.shard), .number(token)] + new.values + old.values.prefix(2))
    }
  }

  private func transact(
    _ statements: [DatabaseStatement], behind fence: (_ token: Int64) -> DatabaseStatement
  ) -> Outcome {
    for attempt in 1... {
      guard let token else { return .fenced }
      let outcome = attemptOnce(statements, behind: fence(token))
      if case .refused(let error) = outcome, error.wantsAnotherTry, attempt < Self.tries {
        continue
      }
      return outcome
    }
    preconditionFailure("the tries have an end")
  }

  private func attemptOnce(
    _ statements: [DatabaseStatement], behind fence: DatabaseStatement
  ) -> Outcome {
    var isSent = false
    do throws(DatabaseError) {
      return try pool.withConnection { connection throws(DatabaseError) in
        var changed = 0
        try connection.run([DatabaseStatement("BEGIN"), fence], within: pool.limitSeconds) {
          changed = $1.changed
        }
        guard changed == 1 else { return .fenced }
        isSent = true
        try connection.run(statements + [DatabaseStatement("COMMIT")], within: pool.limitSeconds)
        return .committed
      }
    } catch {
      return isSent && error.isDisconnection ? .unknown(error) : .refused(error)
    }
  }

  /// Forgets what was known of the lease, for a new beginning.
  func begin() { lease.withLock { $0 = LeaseMachine() } }

  /// Asks for the lease, or for its renewal, as is due.
  func ask() {
    let (token, sent) = (token, time.now())
    let answer = token.map(renewal) ?? acquisition()
    lease.withLock { lease in
      // The lease may have been taken again under a new token meanwhile: then the answer is about the old one.
      if let token, lease.token != token { return }
      lease.hear(answer, sent: sent)
    }
  }

  /// Takes the lease again with the own token, which raises it: what was sent under the old one can no longer commit.
  ///
  /// Returns the head; nil when another worker has the lease, which is lost then. Throws when the database does not answer.
  func takeAgain() throws(DatabaseError) -> ShardHead? {
    guard let token else { return nil }
    let sent = time.now()
    let rows = try pool.withConnection { connection throws(DatabaseError) in
      try connection.run(
        DatabaseStatement(
          """
          UPDATE rewards.shard SET token = token + 1, expires = now() + interval '15 seconds'
          WHERE shard = $1 AND token = $2 RETURNING token, seq, hash, at
          """, [.number(shard), .number(token)]), within: pool.limitSeconds)
    }
    guard rows.count == 1, let head = ShardHead(rows, 0, from: 1) else {
      lease.withLock { $0.hear(.replaced, sent: sent) }
      return nil
    }
    let raised = rows.number(0, 0)
    lease.withLock { $0.hear(.taken(token: raised), sent: sent) }
    return head
  }

  /// Gives the lease back, so that the next worker need not wait for its end.
  func giveBack() {
    guard let token else { return }
    lease.withLock { $0.giveBack() }
    // Should this fail, the lease ends by itself.
    _ = try? pool.withConnection { connection throws(DatabaseError) in
      try connection.run(
        DatabaseStatement(
          "UPDATE rewards.shard SET expires = now() - interval '1 second' WHERE shard = $1 AND token = $2",
          [.number(shard), .number(token)]), within: pool.limitSeconds)
    }
  }

  private func renewal(of token: Int64) -> LeaseMachine.Answer {
    do throws(DatabaseError) {
      let rows = try pool.withConnection { connection throws(DatabaseError) in
        try connection.run(
          DatabaseStatement(
            "UPDATE rewards.shard SET expires = now() + interval '15 seconds' WHERE shard = $1 AND token = $2",
            [.number(shard), .number(token)]), within: LeaseMachine.renewalSeconds)
      }
      return rows.changed == 1 ? .renewed : .replaced
    } catch {
      return .unreachable
    }
  }

  private func acquisition() -> LeaseMachine.Answer {
    do throws(DatabaseError) {
      return try pool.withConnection { connection throws(DatabaseError) in
        if let token = try take(connection) { return .taken(token: token) }
        let held = try connection.run(
          DatabaseStatement(
            """
            SELECT token, (extract(epoch FROM expires - now()) * 1000)::int8, holder, process
            FROM rewards.shard WHERE shard = $1
            """, [.number(shard)]), within: pool.limitSeconds)
        guard held.count == 1 else { return .unreachable }
        // A holder that was killed on this machine will not come back.
        if WorkerProcess(held.text(0, 3))?.isGone == true,
          let token = try take(connection, from: held.number(0, 0))
        {
          return .taken(token: token)
        }
        return .heldByOther(
          held.text(0, 2), token: held.number(0, 0), secondsLeft: Double(held.number(0, 1)) / 1000)
      }
    } catch {
      return .unreachable
    }
  }

  /// Takes a lease that has ended, or that of the holder of a token; returns the new token, nil when somebody has it.
  private func take(
    _ connection: DatabaseConnection, from gone: Int64 = -1
  ) throws(DatabaseError) -> Int64? {
    let rows = try connection.run(
      DatabaseStatement(
        """
        UPDATE rewards.shard
        SET token = token + 1, holder = $2, process = $3, expires = now() + interval '15 seconds'
        WHERE shard = $1 AND (expires < now() OR token = $4) RETURNING token
        """,
        [
          .number(shard), .text(worker), WorkerProcess.own.map { .text($0.text) } ?? .null,
          .number(gone),
        ]), within: pool.limitSeconds)
    return rows.count == 1 ? rows.number(0, 0) : nil
  }
}
