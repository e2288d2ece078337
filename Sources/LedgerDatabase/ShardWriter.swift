internal import Foundations
internal import Ledger

/// Makes every change to a shard's rows: each begins by checking the token, in its own transaction. Blocks; safe from
/// any thread.
///
/// A committing worker held the lock of the shard's row and saw its own token there. Every acquisition raises the
/// token, so after the next one nothing with an older token commits, however long its worker slept or its packets
/// travelled.
final class ShardWriter: Sendable {
  /// The outcome of a transaction.
  enum Outcome: Equatable {
    case committed
    /// The token or the head differed.
    case fenced
    /// Nothing was changed.
    case refused(DatabaseError)
    /// The connection broke after the commit was sent.
    case unknown(DatabaseError)
  }

  let shard: Int64
  let pool: DatabasePool
  /// This worker's name in the database.
  let worker: String
  private let lease = Lock(LeaseMachine())
  /// This acquisition's nonce. The lock is held during each question about the lease, so that answers come in order.
  private let talking = Lock(Int64(0))
  /// The last line that this worker knows to be committed: an earlier head means that the database has gone back.
  private let committed = Lock(Int64(0))
  /// Why the last renewal of the lease failed; nil if it succeeded.
  private let failure = Lock<DatabaseError?>(nil)
  private let time: WorkerTime
  private let clock: DatabaseTime

  init(
    shard: Int64, pool: DatabasePool, worker: String, time: WorkerTime, clock: DatabaseTime
  ) {
    (self.shard, self.pool, self.worker, self.time) = (shard, pool, worker, time)
    self.clock = clock
  }

  /// The state of the lease.
  var leaseState: LeaseMachine.State { lease.withLock { $0.state } }
  /// The token to write with; nil without a lease.
  var token: Int64? { lease.withLock { $0.token } }
  /// Why the last renewal of the lease failed; nil if it succeeded.
  var renewalFailure: DatabaseError? { failure.withLock { $0 } }
  /// When to ask the database about the lease next, on the worker's clock; nil for never.
  var nextQuestion: Double? { lease.withLock { $0.nextQuestion } }

  /// The maximum number of attempts when the server asks to repeat a transaction.
  private static let tries = 10

  /// Runs statements in one transaction after checking the token.
  func change(_ statements: [DatabaseStatement]) -> Outcome {
    transact(statements) { token in
      DatabaseStatement(
        "SELECT shard FROM rewards.shard WHERE shard = $1 AND token = $2 FOR SHARE",
        [.number(self.shard), .number(token)])
    }
  }

  /// Runs statements in one transaction that moves the head from `old` to `new` and extends the lease.
  func extend(
    from old: ShardHead, to new: ShardHead, _ statements: (_ token: Int64) -> [DatabaseStatement]
  ) -> Outcome {
    guard let token else { return .fenced }
    let outcome = transact(statements(token)) { token in
      DatabaseStatement(
        """
        UPDATE rewards.shard SET seq = $3, hash = $4, at = $5, expires = now() + interval '15 seconds'
        WHERE shard = $1 AND token = $2 AND seq = $6 AND hash = $7
        """,
        [.number(self.shard), .number(token)] + new.values + old.values.prefix(2))
    }
    if outcome == .committed { committed.withLock { $0 = new.state.storedSeq } }
    return outcome
  }

  /// Treats the lease as lost, because the database has lost what it had committed: nothing may build on what this
  /// worker knows.
  func giveUp() { lease.withLock { $0.receive(.replaced, sent: time.now()) } }

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

  /// Limits how long a worker that is stopped in the middle of a transaction keeps the lock of its shard's row.
  private static let impatience = DatabaseStatement(
    "SET LOCAL idle_in_transaction_session_timeout = '5s'")

  private func attemptOnce(
    _ statements: [DatabaseStatement], behind fence: DatabaseStatement
  ) -> Outcome {
    var isSent = false
    do throws(DatabaseError) {
      return try pool.withConnection { connection throws(DatabaseError) in
        var changed = 0
        let opening = [DatabaseStatement("BEGIN"), Self.impatience, fence]
        try connection.run(opening, within: pool.limitSeconds) {
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

  /// Resets the known state of the lease; returns false if this process still has it.
  func reset() -> Bool {
    talking.withLock { nonce in
      if token != nil { return false }
      nonce = Int64.random(in: 1...Int64.max)
      lease.withLock { $0 = LeaseMachine() }
      committed.withLock { $0 = 0 }
      return true
    }
  }

  /// Asks for the lease; throws if the database does not answer, or has no tables.
  func acquire() throws(DatabaseError) {
    try talking.withLock { nonce throws(DatabaseError) in
      let sent = time.now()
      do throws(DatabaseError) {
        let answer = try acquisition(nonce, sent: sent)
        lease.withLock { $0.receive(answer, sent: sent) }
      } catch {
        lease.withLock { $0.receive(.unreachable, sent: sent) }
        throw error
      }
    }
  }

  /// Renews the lease; does nothing without one.
  func renew() {
    talking.withLock { nonce in
      guard token != nil else { return }
      let sent = time.now()
      let answer: LeaseMachine.Answer
      do throws(DatabaseError) {
        answer = try prolong(nonce, raisesToken: false).map { .taken(token: $0.token) } ?? .replaced
        failure.withLock { $0 = nil }
      } catch {
        answer = .unreachable
        failure.withLock { $0 = error }
      }
      lease.withLock { $0.receive(answer, sent: sent) }
    }
  }

  /// Takes the lease again, which raises the token: nothing sent under the old token can commit any more.
  ///
  /// Returns the head, or nil if another worker has the lease, which is then lost. Throws if the database does not
  /// answer; the token may have been raised nevertheless.
  func raiseToken() throws(DatabaseError) -> ShardHead? {
    try talking.withLock { nonce throws(DatabaseError) in
      guard token != nil else { return nil }
      let sent = time.now()
      let taken = try prolong(nonce, raisesToken: true)
      lease.withLock { lease in
        lease.receive(taken.map { .taken(token: $0.token) } ?? .replaced, sent: sent)
      }
      return taken?.head
    }
  }

  /// Gives the lease back, so that the next worker need not wait for its end.
  func giveBack() {
    talking.withLock { nonce in
      guard token != nil else { return }
      lease.withLock { $0.giveBack() }
      // If this fails, the lease simply expires.
      _ = try? pool.withConnection(
        isUrgent: true, patienceSeconds: LeaseMachine.renewalSeconds
      ) { connection throws(DatabaseError) in
        try connection.run(
          DatabaseStatement(
            "UPDATE rewards.shard SET expires = now() - interval '1 second' WHERE shard = $1 AND nonce = $2",
            [.number(shard), .number(nonce)]), within: LeaseMachine.renewalSeconds)
      }
    }
  }

  /// Extends the lease by another term and, if requested, raises its token; nil if another worker has it, or the
  /// database has gone back.
  private func prolong(
    _ nonce: Int64, raisesToken: Bool
  ) throws(DatabaseError) -> (token: Int64, head: ShardHead)? {
    let known = committed.withLock { $0 }
    // A renewal must wait neither for others' work nor longer than the lease can last.
    return try pool.withConnection(
      isUrgent: !raisesToken, patienceSeconds: raisesToken ? nil : LeaseMachine.renewalSeconds
    ) { connection throws(DatabaseError) in
      let sent = time.now()
      let rows = try connection.run(
        DatabaseStatement(
          """
          UPDATE rewards.shard SET token = token + $3, expires = now() + interval '15 seconds'
          WHERE shard = $1 AND nonce = $2
          RETURNING token, seq, hash, at, (extract(epoch FROM now()) * 1000)::int8
          """, [.number(shard), .number(nonce), .number(raisesToken ? 1 : 0)]),
        within: raisesToken ? pool.limitSeconds : LeaseMachine.renewalSeconds)
      guard rows.count == 1, let head = ShardHead(rows, 0, from: 1), head.state.storedSeq >= known
      else { return nil }
      clock.observe(milliseconds: rows.number(0, 4), sent: sent)
      return (rows.number(0, 0), head)
    }
  }

  private func acquisition(
    _ nonce: Int64, sent: Double
  ) throws(DatabaseError) -> LeaseMachine.Answer {
    try pool.withConnection { connection throws(DatabaseError) in
      try DatabaseSchema.requireProgram(connection, within: pool.limitSeconds)
      if let token = try acquireToken(connection, nonce) { return .taken(token: token) }
      // A holder that is stopped in the middle of a transaction blocks the row for a while.
      let waited = time.now() - sent
      let held = try connection.run(
        DatabaseStatement(
          """
          SELECT token, (extract(epoch FROM expires - now()) * 1000)::int8, holder, process
          FROM rewards.shard WHERE shard = $1
          """, [.number(shard)]), within: pool.limitSeconds)
      guard held.count == 1 else {
        throw ShardHead.missing(shard)
      }
      // A holder that was killed on this machine will not come back.
      if WorkerProcess(held.text(0, 3))?.isGone == true,
        let token = try acquireToken(connection, nonce, from: held.number(0, 0))
      {
        return .taken(token: token)
      }
      return .heldByOther(
        held.text(0, 2), token: held.number(0, 0),
        secondsLeft: waited + Double(held.number(0, 1)) / 1000)
    }
  }

  /// Takes a lease that has ended, or that of a token's holder; returns the new token, or nil if another worker has it.
  private func acquireToken(
    _ connection: DatabaseConnection, _ nonce: Int64, from gone: Int64 = -1
  ) throws(DatabaseError) -> Int64? {
    // An acquisition whose answer was lost is recognised by its nonce.
    let rows = try connection.run(
      DatabaseStatement(
        """
        UPDATE rewards.shard
        SET token = token + 1, nonce = $5, holder = $2, process = $3,
          expires = now() + interval '15 seconds'
        WHERE shard = $1 AND (expires < now() OR token = $4 OR nonce = $5) RETURNING token
        """,
        [
          .number(shard), .text(worker), WorkerProcess.own.map { .text($0.text) } ?? .null,
          .number(gone), .number(nonce),
        ]), within: pool.limitSeconds)
    return rows.count == 1 ? rows.number(0, 0) : nil
  }
}
