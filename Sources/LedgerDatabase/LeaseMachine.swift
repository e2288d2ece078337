/// What one worker knows of its lease on a shard, and what it is to do next. Pure: times are seconds of the worker's own
/// monotonic clock, and count from when a request was *sent*.
///
/// Clocks decide here only when to ask. Who may write is decided by the token, in the transaction that writes.
public struct LeaseMachine: Equatable, Sendable {
  /// How long a lease lasts, by the database's clock.
  public static let lifeSeconds = 15.0
  /// How long after one renewal the next is asked for.
  public static let renewalSeconds = 5.0

  /// Where the worker stands.
  public enum Standing: Equatable, Sendable {
    /// Has no lease and has not asked for one.
    case out
    /// Somebody else has the lease: it is asked for again at `askAt`.
    case waiting(for: Holding, askAt: Double)
    /// Has the lease under `token`; its renewal is due at `renewAt`.
    case holding(token: Int64, renewAt: Double)
    /// Somebody else has taken the lease. Nothing leads back: what was known of the ledger is old.
    case lost
  }

  /// What is known of a lease that somebody else has.
  public struct Holding: Equatable, Sendable {
    /// What the database calls its holder.
    public let holder: String
    /// The token under which it was taken.
    public let token: Int64
    /// When it ends unless it is renewed, by this worker's clock.
    public let endsAt: Double
    /// Whether the holder was seen to take or renew it while this worker waited.
    public var isAlive = false

    /// A lease of another worker.
    public init(holder: String, token: Int64, endsAt: Double) {
      (self.holder, self.token, self.endsAt) = (holder, token, endsAt)
    }
  }

  /// What the database answered, or did not.
  public enum Answer: Equatable, Sendable {
    /// The lease was taken or renewed, under this token.
    case taken(token: Int64)
    /// Somebody has it under this token, for so many seconds yet by the database's clock.
    case heldByOther(String, token: Int64, secondsLeft: Double)
    /// The lease is not this worker's any more.
    case replaced
    /// Nothing is known.
    case unreachable
  }

  /// Where the worker stands.
  public private(set) var standing = Standing.out

  /// A worker without a lease.
  public init() {}

  /// The token with which to write; nil without a lease.
  public var token: Int64? {
    if case .holding(let token, _) = standing { token } else { nil }
  }

  /// When the database is to be asked next; nil for never.
  public var nextQuestion: Double? {
    switch standing {
    case .out: -Double.infinity
    case .waiting(_, let askAt): askAt
    case .holding(_, let renewAt): renewAt
    case .lost: nil
    }
  }

  /// Takes in the answer to a request that was sent at `sent`.
  public mutating func hear(_ answer: Answer, sent: Double) {
    switch (answer, standing) {
    case (_, .lost): break
    case (.taken(let token), _):
      standing = .holding(token: token, renewAt: sent + Self.renewalSeconds)
    case (.heldByOther(let holder, let token, let left), .out):
      standing = waiting(for: Holding(holder: holder, token: token, endsAt: sent + left), sent)
    case (.heldByOther(let holder, let token, let left), .waiting(let known, _)):
      var holding = Holding(holder: holder, token: token, endsAt: sent + left)
      // Some seconds are lost on the way and in rounding; a renewal adds more.
      holding.isAlive =
        known.isAlive || token != known.token || holding.endsAt > known.endsAt + 2
      standing = waiting(for: holding, sent)
    case (.replaced, .holding), (.heldByOther, .holding):
      standing = .lost
    case (.unreachable, .holding(let token, _)):
      // The lease is tried again even when it may have ended: as long as nobody took it, it is still this worker's.
      standing = .holding(token: token, renewAt: sent + 1)
    case (.unreachable, .waiting(let holding, _)):
      standing = .waiting(for: holding, askAt: sent + 1)
    case (.unreachable, .out), (.replaced, _): break
    }
  }

  /// Takes in that the lease was given back.
  public mutating func giveBack() { if token != nil { standing = .out } }

  /// Half a renewal later it is plain whether the holder lives; at the end of the lease it may be taken.
  private func waiting(for holding: Holding, _ now: Double) -> Standing {
    let wait = min(max(0, holding.endsAt - now), Self.renewalSeconds / 2)
    return .waiting(for: holding, askAt: now + max(0.1, wait))
  }
}
