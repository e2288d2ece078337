import CivilTime
import Ledger

/// The entries in memory by lane, what to read next, and how far the sink has come.
///
/// Each lane sends one shipment at a time, while different lanes run in parallel. A lane that must wait leaves the main reading
/// of the ledger, so that it delays neither the cursor nor other lanes, and catches up with a reading of its own. An account's
/// lane has nothing to catch up with, since only its latest state matters: only the position of that is kept, for any number of
/// users.
struct LaneQueue: Sendable {
  private let limits: QueueLimits
  private var tracks: [Lane: LaneTrack] = [:]
  private var ready: ArraySlice<Lane> = []
  private var window: CursorWindow
  private var waiting = WaitingLanes()
  private var waitingAccounts = WaitingLanes()
  private var pass: CatchUpPass?
  private var replaysDue: [Lane] = []
  private var wasBehindRead = false
  private var settledThrough: [Lane: EventPosition]
  private var spacing: LaneSpacing
  /// Changes that must survive a crash, in order; the queue's owner adds its own.
  var changes: [RelayChange] = []
  /// The number of entries in memory.
  private(set) var entries = 0
  private var eventLanesBehind = 0
  /// The last line that was read.
  private(set) var readThrough: UInt64

  /// Creates a queue that continues from `progress`.
  init(_ limits: QueueLimits, after progress: RelayProgress) {
    self.limits = limits
    spacing = LaneSpacing(keeping: limits.entries)
    window = CursorWindow(at: progress.cursor)
    readThrough = progress.cursor.seq
    settledThrough = progress.settledThrough
    for (lane, behind) in progress.behind {
      var track = LaneTrack(isWaiting: true, attempts: behind.attempts, isNotedBehind: true)
      if lane.kind == .account {
        track.latest = behind.from
        waitingAccounts.add(lane, until: behind.due ?? .earliest)
      } else {
        track.readFrom = behind.from
        eventLanesBehind += 1
        waiting.add(lane, until: behind.due ?? .earliest)
      }
      tracks[lane] = track
    }
    for (lane, replay) in progress.replays {
      tracks[lane] = LaneTrack(
        isWaiting: true, attempts: replay.attempts, replay: replay.positions)
      waiting.add(lane, until: replay.due ?? .earliest)
    }
  }

  /// The seal up to which everything is settled, except for the lanes that are behind.
  var cursor: LedgerHead { window.cursor }
  /// The number of lanes that are behind.
  var lanesBehind: Int { eventLanesBehind + waitingAccounts.count }
  /// Whether an entry is ready to be sent.
  var isReady: Bool { !ready.isEmpty }
  /// When the first waiting lane may continue; nil if none is waiting.
  var earliestWaiting: Instant? {
    [waiting.earliest, waitingAccounts.earliest].compactMap { $0 }.min()
  }
  /// Whether something must be read even though no lane's time has come.
  var isReading: Bool { !replaysDue.isEmpty || pass != nil }

  /// Returns what to read next; if `mayCatchUp` is false, only the main reading.
  mutating func nextRead(head: UInt64, now: Instant, mayCatchUp: Bool) -> LedgerPart? {
    let main = readMain(head: head)
    if !mayCatchUp || wasBehindRead && main != nil {
      wasBehindRead = false
      return main
    }
    let other = entries < limits.entries ? readWaiting(now) : nil
    wasBehindRead = other != nil
    return other ?? main
  }

  private func readMain(head: UInt64) -> LedgerPart? {
    let hasRoom = entries < limits.entries / 2 && eventLanesBehind < limits.lanesBehind
    return hasRoom && readThrough < head ? .next(after: readThrough) : nil
  }

  private mutating func readWaiting(_ now: Instant) -> LedgerPart? {
    if let pass, pass.lanes.isEmpty { self.pass = nil }
    // During a pass, lanes that need another one wait.
    if pass == nil, replaysDue.isEmpty {
      var due: [Lane] = []
      while due.count < Self.lanesPerPass, let lane = waiting.dequeueDue(at: now) {
        due.append(lane)
      }
      replaysDue = due.filter { $0.kind == .replay }
      for lane in due where lane.kind != .replay { tracks[lane]?.isWaiting = false }
      let behind = due.compactMap { lane in tracks[lane]?.readFrom.map { (lane, $0.seq) } }
      if let first = behind.map(\.1).min() {
        pass = CatchUpPass(lanes: Set(behind.map(\.0)), through: first - 1)
      }
    }
    if !replaysDue.isEmpty {
      let lanes = replaysDue.prefix(Self.replaysPerRead)
      replaysDue.removeFirst(lanes.count)
      return .again(
        Dictionary(
          uniqueKeysWithValues: lanes.map { lane in
            (lane, Array(tracks[lane]?.replay.prefix(Self.eventsPerReplay) ?? []))
          }))
    }
    return pass.map { .behind(after: $0.through, through: readThrough, lanes: $0.lanes) }
  }

  private static let lanesPerPass = 512
  private static let replaysPerRead = 64
  private static let eventsPerReplay = 16

  /// Takes back a part that could not be read.
  mutating func giveBack(_ part: LedgerPart) {
    if case .again(let lanes) = part { replaysDue += lanes.keys }
  }

  /// Adds a portion read for a part.
  mutating func add(_ portion: LanePortion, for part: LedgerPart, now: Instant) {
    switch part {
    case .next:
      var seals = portion.seals[...]
      for entry in portion.entries {
        while let seal = seals.first, seal.seq < entry.position.seq {
          window.close(with: seal)
          seals.removeFirst()
        }
        addMain(entry, now)
      }
      for seal in seals { window.close(with: seal) }
      readThrough = portion.through
    case .behind:
      for entry in portion.entries { addBehind(entry) }
      pass?.through = portion.through
      if portion.through >= readThrough { endPass() }
    case .again(let wanted): addAgain(portion.entries, wanted)
    }
  }

  private mutating func addMain(_ entry: LaneEntry, _ now: Instant) {
    let lane = entry.lane
    if let settled = settledThrough[lane], entry.position <= settled { return }
    var track = tracks[lane] ?? LaneTrack()
    // Catching up will find it.
    if track.readFrom != nil { return }
    if lane.kind == .account, track.latest != nil || spacing.end(of: lane) > now {
      if track.latest == nil { leaveMain(&track, lane, from: entry.position) }
      track.latest = entry.position
    } else if lane.kind != .account, track.queue.count >= limits.entriesPerLane {
      leaveMain(&track, lane, from: entry.position)
      track.readFrom = entry.position
      eventLanesBehind += 1
    } else {
      if let older = track.popOlderState(of: lane) { forget(older) }
      track.queue.append(entry)
      track.queue[track.queue.endIndex - 1].batch = window.add()
      entries += 1
    }
    goOn(&track, lane)
  }

  private mutating func addBehind(_ entry: LaneEntry) {
    let lane = entry.lane
    guard pass?.lanes.contains(lane) == true, var track = tracks[lane], let from = track.readFrom,
      from <= entry.position
    else { return }
    if track.queue.count >= limits.entriesPerLane {
      // The rest is read once these are gone.
      track.readFrom = entry.position
      pass?.lanes.remove(lane)
    } else {
      track.readFrom = entry.position.next
      track.queue.append(entry)
      entries += 1
    }
    goOn(&track, lane)
  }

  /// Ends the catch-up pass: the main reading again feeds the lanes that have caught up.
  private mutating func endPass() {
    for lane in pass?.lanes ?? [] {
      guard var track = tracks[lane] else { continue }
      track.readFrom = nil
      eventLanesBehind -= 1
      noteCaughtUp(&track, lane)
      goOn(&track, lane)
    }
    pass = nil
  }

  private mutating func addAgain(_ found: [LaneEntry], _ wanted: [Lane: [EventPosition]]) {
    let byPosition = Dictionary(found.map { ($0.position, $0) }) { first, _ in first }
    for (lane, positions) in wanted {
      guard var track = tracks[lane] else { continue }
      track.isWaiting = false
      for position in positions {
        if let entry = byPosition[position] {
          track.queue.append(LaneEntry(position, lane: lane, event: entry.event))
          entries += 1
        } else if track.queue.isEmpty {
          let nothing = LaneEntry(position, lane: lane, event: nil)
          changes.append(.attempt(.skipped(nothing, "this sink does not receive such events")))
          track.replay.removeFirst()
        } else {
          break
        }
      }
      goOn(&track, lane)
    }
  }

  /// Removes a lane from the main reading, from this entry on, which is not kept.
  private mutating func leaveMain(_ track: inout LaneTrack, _ lane: Lane, from: EventPosition) {
    if !track.isNotedBehind {
      // After a crash, only this record accounts for the entries in memory.
      changes.append(.behind(lane, from: track.queue.first?.position ?? from))
    }
    track.isNotedBehind = true
  }

  private mutating func noteCaughtUp(_ track: inout LaneTrack, _ lane: Lane) {
    guard track.hasCaughtUp else { return }
    track.isNotedBehind = false
    changes.append(.caughtUp(lane))
  }

  /// Returns the next shipment of at most `limit` entries; nil if nothing is ready.
  mutating func dequeue(limit: Int, now: Instant) -> Shipment? {
    if ready.isEmpty { resumeAccount(now) }
    guard let lane = ready.popFirst(), var track = tracks[lane] else { return nil }
    track.isReady = false
    track.isUnderWay = true
    tracks[lane] = track
    return Shipment(
      lane: lane, entries: Array(track.queue.prefix(limit)), attempt: track.attempts + 1)
  }

  /// Makes the next waiting account ready whose time has come.
  private mutating func resumeAccount(_ now: Instant) {
    guard let lane = waitingAccounts.dequeueDue(at: now), var track = tracks[lane],
      let latest = track.latest
    else { return }
    track.isWaiting = false
    track.latest = nil
    track.queue.append(LaneEntry(latest, lane: lane, event: nil))
    entries += 1
    goOn(&track, lane)
  }

  /// Ends a shipment of `lane` whose first `settled` entries are done. With `until`, the next one waits until then, for a reason
  /// that may already be recorded.
  mutating func finish(
    _ lane: Lane, settled: Int, attempts: Int, until: Instant?, isRecorded: Bool = true
  ) {
    guard var track = tracks[lane], track.isUnderWay else { return }
    track.isUnderWay = false
    track.attempts = attempts
    for _ in 0..<settled { dropFirst(&track, lane) }
    if let until {
      wait(&track, lane, until: until, isRecorded: isRecorded)
    } else if lane.kind == .account, !track.queue.isEmpty, spacing.end(of: lane) > .earliest {
      wait(&track, lane, until: spacing.end(of: lane), isRecorded: false)
    } else {
      noteCaughtUp(&track, lane)
    }
    goOn(&track, lane)
  }

  /// Lets all waiting lanes continue at once.
  ///
  /// If `isFree`, the next attempt of a postponed entry does not count.
  mutating func release(isFree: Bool) {
    spacing = LaneSpacing(keeping: limits.entries)
    for lane in waiting.release() + waitingAccounts.release() where isFree {
      if let attempts = tracks[lane]?.attempts, attempts > 0 { tracks[lane]?.attempts -= 1 }
    }
  }

  /// Holds back newer states of an account until `until`.
  mutating func space(_ lane: Lane, until: Instant, now: Instant) {
    spacing.add(lane, until: until, now: now)
  }

  /// Appends these events of a user to those that are to be sent again.
  mutating func replay(_ positions: [EventPosition], of user: String) {
    let lane = Lane(.replay, user: user)
    var track = tracks[lane] ?? LaneTrack()
    track.replay += positions
    goOn(&track, lane)
  }

  /// Frees a lane's memory until its first entry may be retried.
  private mutating func wait(
    _ track: inout LaneTrack, _ lane: Lane, until due: Instant, isRecorded: Bool
  ) {
    guard let (first, last) = track.ends else { return }
    for entry in track.queue { forget(entry) }
    track.queue = []
    track.isWaiting = true
    if lane.kind == .account {
      track.latest = max(track.latest ?? last, last)
      waitingAccounts.add(lane, until: due)
    } else {
      waiting.add(lane, until: due)
      guard lane.kind != .replay else { return }
      pass?.lanes.remove(lane)
      if track.readFrom == nil { eventLanesBehind += 1 }
      track.readFrom = first
    }
    // A failed attempt is itself such a record.
    if !isRecorded, !track.isNotedBehind { changes.append(.behind(lane, from: first)) }
    track.isNotedBehind = true
  }

  private mutating func dropFirst(_ track: inout LaneTrack, _ lane: Lane) {
    guard let first = track.queue.popFirst() else { return }
    forget(first)
    if lane.kind == .replay { track.replay.removeFirst() }
  }

  private mutating func forget(_ entry: LaneEntry) {
    entries -= 1
    if let batch = entry.batch { window.settle(batch) }
  }

  /// Moves a lane to where it belongs after a change: to the ready lanes, to those that wait for a reading, or to neither.
  private mutating func goOn(_ track: inout LaneTrack, _ lane: Lane) {
    if track.isUnderWay || track.isReady || track.isWaiting {
      tracks[lane] = track
    } else if !track.queue.isEmpty {
      track.isReady = true
      ready.append(lane)
      tracks[lane] = track
    } else if track.latest != nil {
      track.isWaiting = true
      waitingAccounts.add(lane, until: spacing.end(of: lane))
      tracks[lane] = track
    } else if track.readFrom != nil || !track.replay.isEmpty {
      if pass?.lanes.contains(lane) != true {
        track.isWaiting = true
        waiting.add(lane, until: .earliest)
      }
      tracks[lane] = track
    } else {
      tracks[lane] = nil
    }
  }
}
