package import CivilTime
package import Described
package import Ledger

/// A sink's progress: what it was sent, what is waiting, and why.
///
/// Everything up to ``cursor`` is settled, except for the lanes that are behind. Its size depends on those lanes and on the
/// events to be sent again, never on what was delivered.
package struct RelayProgress: Sendable, Equatable {
  /// A lane that the cursor does not cover.
  package struct Behind: Sendable, Equatable {
    /// The first unsettled event.
    package var from: EventPosition
    /// How often it was tried.
    package var attempts = 0
    /// When it may be retried; nil for at once.
    package var due: Instant?
  }

  /// A user's events that are to be sent again.
  package struct Replay: Sendable, Equatable {
    /// The events, in sending order.
    package var positions: ArraySlice<EventPosition> = []
    /// How often the first was tried.
    package var attempts = 0
    /// When it may be retried; nil for at once.
    package var due: Instant?
  }

  /// Why nothing is being sent.
  package struct Pause: Sendable, Equatable {
    /// The reason in words.
    package var reason: String
    /// Who paused it; the relay itself if the receiver wants nothing more.
    package var actor: String
    /// When it began.
    package var since: Instant
  }

  /// A failed attempt.
  package struct Failed: Sendable, Equatable {
    /// When it was recorded.
    package var at: Instant
    /// Why it failed.
    package var reason: String
  }

  /// The seal up to which everything is settled.
  package var cursor = LedgerHead.origin
  /// When the last change was recorded; nil before the first.
  var changedAt: Instant?
  /// The number of changes so far.
  var changes = 0
  /// Lanes that are behind the cursor, or will be when it passes them.
  package internal(set) var behind: [Lane: Behind] = [:]
  /// How far lanes are settled beyond the cursor.
  package internal(set) var settledThrough: [Lane: EventPosition] = [:]
  /// The events to be sent again.
  package internal(set) var replays: [Lane: Replay] = [:]
  /// Why nothing is being sent; nil if the sink is not paused.
  package internal(set) var pause: Pause?
  /// The number of delivered events, including repeated ones.
  package internal(set) var delivered = 0
  /// The number of failed attempts.
  package internal(set) var failures = 0
  /// The number of events that were given up and not requested again.
  package internal(set) var deadLetters = 0
  /// The last failed attempt, or the last reason why there could be none.
  package internal(set) var lastFailure: Failed?

  /// Creates the progress of a sink that was sent nothing.
  package init() {}
}

/// A change of a sink's progress.
package enum RelayChange: Sendable, Equatable {
  /// An attempt. The event is settled unless the attempt failed.
  case attempt(DeliveryAttempt)
  /// The lane's events from here on are unsettled, although the cursor may pass them.
  case behind(Lane, from: EventPosition)
  /// The lane is no longer behind.
  case caughtUp(Lane)
  /// Everything up to this seal is settled, except for the lanes that are behind.
  case cursor(LedgerHead)
  /// Nothing is sent until an operator resumes the sink.
  case paused(reason: String, actor: String)
  /// An end of a pause.
  case resumed(actor: String)
  /// A user was forgotten: nothing may ask for these dead letters again, and no reason names the user.
  case erased(String, [EventPosition])
  /// The sink cannot even try, for a reason that was not recorded before.
  case hindered(reason: String)
  /// These events of a user are to be sent again.
  case replay(user: String, positions: [EventPosition], actor: String)

  /// Whether an operator or the receiver requested it.
  var isAct: Bool {
    switch self {
    case .paused, .resumed, .replay: true
    case .attempt, .behind, .caughtUp, .cursor, .erased, .hindered: false
    }
  }
}

extension RelayProgress {
  /// Applies the next change.
  package mutating func apply(_ change: RelayChange, at: Instant) {
    changedAt = at
    changes += 1
    switch change {
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
    case .erased(let user, _):
      lastFailure = nil
      if pause?.reason.split(separator: " ").contains(user[...]) == true {
        pause?.reason = "it was about a user who was forgotten"
      }
    case .hindered(let reason): lastFailure = Failed(at: at, reason: reason)
    case .replay(let user, let positions, _):
      replays[Lane(.replay, user: user), default: Replay()].positions += positions
    }
  }

  private mutating func count(_ attempt: DeliveryAttempt, at: Instant) {
    switch attempt.outcome {
    case .delivered: delivered += 1
    case .skipped: break
    case .failed, .dead:
      failures += 1
      lastFailure = Failed(at: at, reason: attempt.reason ?? "")
    }
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
  /// The line after which unsettled events may follow. States that wait for a retry may be older.
  package var firstUnsettled: UInt64 {
    behind.filter { $0.key.kind == .events }.values.map { max(1, $0.from.seq) - 1 }
      .reduce(cursor.seq, min)
  }

  /// Returns whether an event of a lane is still to be sent without a replay.
  package func isWaiting(_ position: EventPosition, in lane: Lane) -> Bool {
    if let behind = behind[lane] { return behind.from <= position }
    if position.seq <= cursor.seq { return false }
    return settledThrough[lane].map { $0 < position } ?? true
  }
}

extension RelayProgress: DescribedObject {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    cursor = try LedgerHead(&coder, value?.pointer(to: \.cursor))
    changedAt = try coder.optional("at", value?.pointee.changedAt)
    changes = try coder.field("changes", value?.pointee.changes, unless: 0)
    delivered = try coder.field("delivered", value?.pointee.delivered)
    failures = try coder.field("failures", value?.pointee.failures)
    deadLetters = try coder.field("deadLetters", value?.pointee.deadLetters)
    lastFailure = try coder.optional("lastFailure", value?.pointee.lastFailure)
    pause = try coder.optional("pause", value?.pointee.pause)
    let behind = try coder.field(
      "behind", value?.pointee.behind.map { LaneBehind(lane: $0.key, behind: $0.value) })
    let settled = try coder.field(
      "settledThrough",
      value?.pointee.settledThrough.map { LanePosition(lane: $0.key, position: $0.value) })
    let replays = try coder.field(
      "replays", value?.pointee.replays.map { LaneReplay(lane: $0.key, replay: $0.value) })
    self.behind = Dictionary(behind.map { ($0.lane, $0.behind) }) { $1 }
    settledThrough = Dictionary(settled.map { ($0.lane, $0.position) }) { $1 }
    self.replays = Dictionary(replays.map { ($0.lane, $0.replay) }) { $1 }
  }
}

extension RelayProgress.Failed: DescribedObject {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    at = try coder.field("at", value?.pointee.at)
    reason = try coder.field("reason", value?.pointee.reason)
  }
}

extension RelayProgress.Pause: DescribedObject {
  /// Reads or writes the fields.
  package init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    reason = try coder.field("reason", value?.pointee.reason)
    actor = try coder.field("actor", value?.pointee.actor)
    since = try coder.field("since", value?.pointee.since)
  }
}

/// A lane that is behind, as an element of a list.
private struct LaneBehind: DescribedObject {
  let lane: Lane
  let behind: RelayProgress.Behind

  init(lane: Lane, behind: RelayProgress.Behind) { (self.lane, self.behind) = (lane, behind) }

  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    lane = try Lane(&coder, value?.pointer(to: \.lane))
    behind = RelayProgress.Behind(
      from: try EventPosition(&coder, value?.pointer(to: \.behind.from)),
      attempts: try coder.field("attempts", value?.pointee.behind.attempts),
      due: try coder.optional("due", value?.pointee.behind.due))
  }
}

/// A lane's position, as an element of a list.
struct LanePosition: DescribedObject {
  let lane: Lane
  let position: EventPosition

  init(lane: Lane, position: EventPosition) { (self.lane, self.position) = (lane, position) }

  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    lane = try Lane(&coder, value?.pointer(to: \.lane))
    position = try EventPosition(&coder, value?.pointer(to: \.position))
  }
}

/// A lane's replay, as an element of a list.
private struct LaneReplay: DescribedObject {
  let lane: Lane
  let replay: RelayProgress.Replay

  init(lane: Lane, replay: RelayProgress.Replay) { (self.lane, self.replay) = (lane, replay) }

  init<C: Fields>(_ coder: inout C, _ value: Given) throws(C.Failure) {
    lane = try Lane(&coder, value?.pointer(to: \.lane))
    let attempts = try coder.field("attempts", value?.pointee.replay.attempts)
    let due = try coder.optional("due", value?.pointee.replay.due)
    let events = try coder.field("events", (value?.pointee.replay.positions).map(Array.init))
    replay = RelayProgress.Replay(positions: events[...], attempts: attempts, due: due)
  }
}

extension RelayProgress.Pause: JSONObject {
  /// Since when, why and by whom.
  package static let members = JSONMembers<Self> {
    $0.add("since", \.since)
    $0.add("reason", \.reason)
    $0.add("actor", \.actor)
  }
}
