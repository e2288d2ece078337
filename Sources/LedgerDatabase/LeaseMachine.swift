/// The state of one worker's lease on a shard, and what to do next. Pure: times are seconds of the worker's own monotonic clock,
/// counted from when a request was *sent*.
///
/// Clocks decide here only when to ask. The token decides who may write, in the writing transaction.
package struct LeaseMachine: Equatable, Sendable {
  /// How long a lease lasts, by the database's clock.
  package static let lifeSeconds = 15.0
  /// How long after one renewal the next is due.
  package static let renewalSeconds = 5.0

  /// The worker's position.
  package enum State: Equatable, Sendable {
    /// It has no lease and has not asked for one.
    case out
    /// Another worker has the lease; the next attempt is at `askAt`.
    case waiting(for: Holding, askAt: Double)
    /// It has the lease under `token`; its renewal is due at `renewAt`.
    case holding(token: Int64, renewAt: Double)
    /// Another worker has taken the lease. This is final: everything known about the ledger is out of date.
    case lost
  }

  /// A lease that another worker has.
  package struct Holding: Equatable, Sendable {
    /// The holder's name in the database.
    package let holder: String
    /// The token under which it was taken.
    package let token: Int64
    /// When it ends unless it is renewed, by this worker's clock.
    package let endsAt: Double
    /// Whether the holder was seen taking or renewing it while this worker waited.
    package var isAlive = false

    /// Creates another worker's lease.
    package init(holder: String, token: Int64, endsAt: Double) {
      (self.holder, self.token, self.endsAt) = (holder, token, endsAt)
    }
  }

  /// The database's answer, or the lack of one.
  package enum Answer: Equatable, Sendable {
    /// The lease was taken or renewed, under this token.
    case taken(token: Int64)
    /// Another worker has it under this token, for `secondsLeft` more by the database's clock.
    case heldByOther(String, token: Int64, secondsLeft: Double)
    /// This worker no longer has the lease.
    case replaced
    /// No answer arrived.
    case unreachable
  }

  /// The worker's position.
  package private(set) var state = State.out

  /// Creates the state of a worker without a lease.
  package init() {}

  /// The token to write with; nil without a lease.
  package var token: Int64? {
    if case .holding(let token, _) = state { token } else { nil }
  }

  /// When to ask the database next; nil for never.
  package var nextQuestion: Double? {
    switch state {
    case .out: -Double.infinity
    case .waiting(_, let askAt): askAt
    case .holding(_, let renewAt): renewAt
    case .lost: nil
    }
  }

  /// Updates the state with the answer to a request that was sent at `sent`.
  package mutating func receive(_ answer: Answer, sent: Double) {
    switch (answer, state) {
    case (_, .lost): break
    case (.taken(let token), _):
      state = .holding(token: token, renewAt: sent + Self.renewalSeconds)
    case (.heldByOther(let holder, let token, let left), .out):
      state = waiting(for: Holding(holder: holder, token: token, endsAt: sent + left), sent)
    case (.heldByOther(let holder, let token, let left), .waiting(let known, _)):
      var holding = Holding(holder: holder, token: token, endsAt: sent + left)
      // Transit and rounding shift the end by a second or two; a renewal shifts it by more.
      holding.isAlive =
        known.isAlive || token != known.token || holding.endsAt > known.endsAt + 2
      state = waiting(for: holding, sent)
    case (.replaced, .holding), (.heldByOther, .holding):
      state = .lost
    case (.unreachable, .holding(let token, _)):
      // The lease is tried again even if it may have ended: until another worker takes it, it is still this worker's.
      state = .holding(token: token, renewAt: sent + 1)
    case (.unreachable, .waiting(let holding, _)):
      state = .waiting(for: holding, askAt: sent + 1)
    case (.unreachable, .out), (.replaced, _): break
    }
  }

  /// Records that the lease was given back.
  package mutating func giveBack() { if token != nil { state = .out } }

  /// Returns a wait of at most half a renewal interval, after which it is clear whether the holder is alive, and no longer than
  /// the lease.
  private func waiting(for holding: Holding, _ now: Double) -> State {
    let wait = min(max(0, holding.endsAt - now), Self.renewalSeconds / 2)
    return .waiting(for: holding, askAt: now + max(0.1, wait))
  }
}
