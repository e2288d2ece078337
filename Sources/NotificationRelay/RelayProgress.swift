public import CivilTime
public import Ledger

/// How far a sink is: the fold of its relay log.
///
/// Everything up to ``cursor`` is settled, but for the lanes that are behind. Grows with the lanes that are behind and the
/// events that are to be sent again, never with the log.
public struct RelayProgress: Sendable, Equatable {
  /// A lane that the cursor does not speak for.
  public struct Behind: Sendable, Equatable {
    /// The first of its events that is not settled.
    public var from: EventPosition
    /// How often that was tried.
    public var attempts = 0
    /// When it may be tried again; nil for at once.
    public var due: Instant?
  }

  /// Events of a user that are to be sent again.
  public struct Replay: Sendable, Equatable {
    /// Which, in the order in which they are sent.
    public var positions: ArraySlice<EventPosition> = []
    /// How often the first was tried.
    public var attempts = 0
    /// When it may be tried again; nil for at once.
    public var due: Instant?
  }

  /// Why nothing is sent.
  public struct Pause: Sendable, Equatable {
    /// In words.
    public var reason: String
    /// Who paused it; the relay itself when the receiver wants nothing more.
    public var actor: String
    /// Since when.
    public var since: Instant
  }

  /// Which events are wanted.
  public struct Filter: Sendable, Equatable {
    /// As ``EventFilter/description`` tells.
    public var events: String
    /// After this line of the ledger.
    public var after: UInt64
  }

  /// Up to this seal all is settled.
  public var cursor = LedgerHead.origin
  /// Lanes that are behind the cursor, or will be when it passes them.
  public internal(set) var behind: [Lane: Behind] = [:]
  /// Up to where lanes are settled beyond the cursor.
  public internal(set) var settledThrough: [Lane: EventPosition] = [:]
  /// What is to be sent again.
  public internal(set) var replays: [Lane: Replay] = [:]
  /// Why nothing is sent; nil when all goes.
  public internal(set) var pause: Pause?
  /// Which events are wanted, and after which line of the ledger all of them were looked at so; nil in logs of older versions.
  public internal(set) var filter: Filter?
  /// Events that were delivered, those that came again included.
  public internal(set) var delivered = 0
  /// Attempts that failed.
  public internal(set) var failures = 0
  /// Events that were given up and that nobody has asked for again.
  public internal(set) var deadLetters = 0
  /// The last failed attempt: when, and why.
  public internal(set) var lastFailure: (at: Instant, reason: String)?

  /// Nothing was sent.
  public init() {}

  /// Whether both say the same.
  public static func == (left: RelayProgress, right: RelayProgress) -> Bool {
    left.cursor == right.cursor && left.behind == right.behind
      && left.settledThrough == right.settledThrough && left.replays == right.replays
      && left.pause == right.pause && left.delivered == right.delivered
      && left.filter == right.filter && left.failures == right.failures
      && left.deadLetters == right.deadLetters
      && left.lastFailure?.at == right.lastFailure?.at
      && left.lastFailure?.reason == right.lastFailure?.reason
  }

  /// Takes the next record of the log in.
  public mutating func apply(_ record: RelayRecord, at: Instant) {
    switch record {
    case .attempt(let attempt):
      count(attempt, at: at)
      switch attempt.lane.kind {
      case .replay: resend(attempt)
      case .events, .account: advance(attempt)
      case .notice: break
      }
    case .behind(let lane, let from): behind[lane] = Behind(from: from)
    case .caughtUp(let lane): behind[lane] = nil
    case .cursor(let head):
      cursor = head
      settledThrough = settledThrough.filter { $0.value.seq > head.seq }
    case .paused(let reason, let actor): pause = Pause(reason: reason, actor: actor, since: at)
    case .resumed:
      pause = nil
      behind = behind.mapValues { Behind(from: $0.from, attempts: $0.attempts) }
      replays = replays.mapValues { Replay(positions: $0.positions, attempts: $0.attempts) }
    case .replay(let user, let positions, let wereDead, _):
      replays[Lane(.replay, user: user), default: Replay()].positions += positions
      if wereDead { deadLetters = max(0, deadLetters - positions.count) }
    case .filter(let events):
      if filter?.events != events { filter = Filter(events: events, after: furthestSettled) }
    // What they say is in the progress with which the log begins.
    case .base, .dead: break
    }
  }

  private mutating func count(_ attempt: DeliveryAttempt, at: Instant) {
    switch attempt.outcome {
    case .delivered: delivered += 1
    case .skipped: break
    case .failed, .dead:
      failures += 1
      lastFailure = (at, attempt.reason ?? "")
    }
    // A notice that was given up cannot be asked for again: it stands in no ledger.
    if attempt.outcome == .dead, attempt.lane.kind != .notice { deadLetters += 1 }
  }

  private mutating func advance(_ attempt: DeliveryAttempt) {
    let lane = attempt.lane
    switch attempt.outcome {
    case .failed:
      behind[lane] = Behind(
        from: attempt.position, attempts: attempt.attempt, due: attempt.next)
    case .delivered, .skipped, .dead:
      if behind[lane] != nil { behind[lane] = Behind(from: attempt.position.next) }
      if attempt.position.seq > cursor.seq {
        settledThrough[lane] = max(attempt.position, settledThrough[lane] ?? attempt.position)
      }
    }
  }

  private mutating func resend(_ attempt: DeliveryAttempt) {
    guard var replay = replays[attempt.lane], replay.positions.first == attempt.position else {
      return
    }
    if attempt.outcome == .failed {
      replay.attempts = attempt.attempt
      replay.due = attempt.next
    } else {
      replay = Replay(positions: replay.positions.dropFirst())
    }
    replays[attempt.lane] = replay.positions.isEmpty ? nil : replay
  }
}

extension RelayProgress {
  /// The line after which the first event may stand that is not settled.
  public var firstUnsettled: UInt64 {
    behind.values.map { max(1, $0.from.seq) - 1 }.reduce(cursor.seq, min)
  }

  /// The last line of the ledger of which anything is settled.
  var furthestSettled: UInt64 { settledThrough.values.map(\.seq).reduce(cursor.seq, max) }

  /// Whether an event of a user is still to be sent by itself.
  public func isWaiting(_ position: EventPosition, of user: String) -> Bool {
    if let behind = behind[Lane(user: user)] { return behind.from <= position }
    if position.seq <= cursor.seq { return false }
    return settledThrough[Lane(user: user)].map { $0 < position } ?? true
  }
}
