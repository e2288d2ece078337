import CivilTime
import Digests
import Foundations
import HTTPClient
import Ledger
import NotificationRelay

/// A ledger, a receiver and a disk around one queue, all made of one seed.
struct QueueWorld {
  private struct Line {
    var user = ""
    var events = 0
    var isSeal = false
  }

  private var random: SplitMix64
  private let hasPoison: Bool
  private let failureRate: Double
  private let mayCrash: Bool
  private let limits: QueueLimits
  private let options: SinkOptions
  private let retries = RetrySchedule(delaysSeconds: [5, 60, 600], jitter: .aFifth)
  private var lines: [Line] = []
  private var now = Instant(seconds: 1_000_000)
  private var queue: DeliveryQueue
  private var underWay: [Shipment] = []
  /// Taken from the queue, not on the disk.
  private var volatile: [RelayChange] = []
  private var isDown = false
  /// What the disk says.
  private(set) var progress = RelayProgress()
  /// What the receiver has seen, or was told to do without.
  private var settled: [String: [EventPosition]] = [:]
  private var seen: Set<EventPosition> = []
  private var notBefore: [EventPosition: Instant] = [:]
  /// The last line when the state of each user was sent last, for what is under way and for what has arrived.
  private var stateUnderWay: [String: UInt64] = [:]
  private var stateSeen: [String: UInt64] = [:]
  private var nextState: [String: Instant] = [:]
  private(set) var receipts = 0
  private(set) var flaws: [String] = []

  init(
    seed: UInt64, hasPoison: Bool = false, failureRate: Double = 0.2, mayCrash: Bool = true
  ) {
    random = SplitMix64(seed: seed)
    self.hasPoison = hasPoison
    self.failureRate = failureRate
    self.mayCrash = mayCrash
    var limits = QueueLimits()
    limits.entries = Int(random.number(in: 8...64))
    limits.entriesPerLane = Int(random.number(in: 2...8))
    limits.lanesBehind = Int(random.number(in: 2...20))
    limits.accountEverySeconds = random.number(in: 0...60)
    self.limits = limits
    var options = SinkOptions()
    options.shipmentsAtOnce = Int(random.number(in: 1...8))
    options.eventsPerShipment = Int(random.number(in: 1...3))
    self.options = options
    queue = DeliveryQueue(options, limits: limits, retries: retries, after: RelayProgress())
  }

  /// The last line.
  var head: UInt64 { UInt64(lines.count) }

  static func event(seq: UInt64, index: Int, user: String) -> CloudEvent {
    CloudEvent(
      id: "\(seq).\(index)", source: "urn:uuid:l", type: .relayTest, subject: user,
      time: Instant(seconds: 0), data: "{}", ledgerHead: nil)
  }

  /// Lets one thing happen.
  mutating func step() {
    switch random.number(in: 0...99) {
    case 0..<12: appendBatch()
    case 12..<34: read()
    case 34..<60: send()
    case 60..<84: finishOne(as: nil)
    case 84..<92: record()
    case 92..<95: now = now.adding(seconds: random.number(in: 1...30))
    case 95: if let wake = queue.wake { now = max(now, wake) }
    case 96: if failureRate > 0 { isDown.toggle() }
    case 97: if mayCrash { crash() }
    case 98: queue.isPaused ? resume() : queue.pause(reason: "r", actor: "a")
    default: replayOne()
    }
    check()
  }

  /// Lets everything arrive, and everything be recorded.
  mutating func settleAll() {
    isDown = false
    if queue.isPaused { resume() }
    for _ in 0..<20_000 {
      if unsettled.isEmpty, unseenStates(through: lastSeal).isEmpty,
        progress.cursor.seq == lastSeal, progress.behind.isEmpty
      {
        return
      }
      drain(as: .delivered(status: 200))
      if let wake = queue.wake { now = max(now, wake) }
    }
    flaws.append(
      "not done: cursor \(progress.cursor.seq) of \(lastSeal), behind \(progress.behind.count)")
  }

  /// Sends all that can be sent without waiting.
  mutating func sendAll() {
    isDown = false
    if queue.isPaused { resume() }
    for _ in 0..<1_000 { drain(as: nil) }
  }

  /// Sends what can be sent now and brings the outcomes home.
  private mutating func drain(as outcome: DeliveryOutcome?) {
    for _ in 0..<4 {
      read()
      send()
      while !underWay.isEmpty { finishOne(as: outcome) }
    }
    record(isFinal: true)
    check()
  }

  /// Events that the receiver has not seen and nobody gave up, as `USER SEQ`.
  var unsettled: [String] {
    positions().filter { !seen.contains($0.position) }.map { "\($0.user) \($0.position.seq)" }
  }

  /// Users whose state was not sent since their last change up to this line.
  private func unseenStates(through seq: UInt64) -> Set<String> {
    var changed: [String: UInt64] = [:]
    for (user, position) in positions() where position.seq <= seq { changed[user] = position.seq }
    return Set(changed.filter { stateSeen[$0.key] ?? 0 < $0.value }.keys)
  }

  private var lastSeal: UInt64 { UInt64((lines.lastIndex { $0.isSeal } ?? -1) + 1) }

  private func positions() -> [(user: String, position: EventPosition)] {
    lines.prefix(Int(lastSeal)).enumerated().flatMap { offset, line in
      (0..<line.events).map { (line.user, EventPosition(seq: UInt64(offset + 1), index: $0)) }
    }
  }

  private mutating func appendBatch() {
    for _ in 0..<random.number(in: 1...6) {
      let number = random.chance(0.3) ? 0 : random.number(in: 0...9)
      lines.append(Line(user: "u\(number)", events: Int(random.number(in: 0...2))))
    }
    appendSeal()
  }

  private mutating func appendSeal() { lines.append(Line(isSeal: true)) }

  private mutating func read() {
    guard let part = queue.nextRead(head: head, now: now) else { return }
    if random.chance(0.05) { return queue.giveBack(part) }
    queue.add(portion(part), for: part, now: now)
  }

  private mutating func portion(_ part: LedgerPart) -> LanePortion {
    switch part {
    case .next(let after): return portion(after: after, through: head) { _ in true }
    case .behind(let after, let through, let lanes):
      return portion(after: after, through: through) { lanes.contains($0) }
    case .again(let lanes):
      var portion = LanePortion(through: 0)
      portion.entries = lanes.values.joined().sorted().compactMap { entry($0) }
      return portion
    }
  }

  private mutating func portion(
    after: UInt64, through: UInt64, _ isWanted: (Lane) -> Bool
  ) -> LanePortion {
    var portion = LanePortion(through: after)
    let room = random.number(in: 1...9)
    for seq in after + 1..<max(after + 1, through + 1) where portion.entries.count < room {
      let line = lines[Int(seq) - 1]
      portion.through = seq
      if line.isSeal { portion.seals.append(LedgerHead(seq: seq, hash: .zero)) }
      let entries = (0..<line.events).map { entry(EventPosition(seq: seq, index: $0)) }
      let state = LaneEntry(
        EventPosition(seq: seq, index: 100), lane: Lane(.account, user: line.user), event: nil)
      portion.entries += (entries + (line.events > 0 ? [state] : [])).filter { isWanted($0.lane) }
    }
    return portion
  }

  private func entry(_ position: EventPosition) -> LaneEntry {
    let user = lines[Int(position.seq) - 1].user
    return LaneEntry(
      position, lane: Lane(user: user),
      event: Self.event(seq: position.seq, index: position.index, user: user))
  }

  private mutating func send() {
    while let shipment = queue.dequeue(now: now) {
      if underWay.contains(where: { $0.lane == shipment.lane }) {
        flaws.append("\(shipment.lane) is under way twice")
      }
      for entry in shipment.entries.prefix(1) {
        if let due = notBefore[entry.position], due > now, entry.lane.kind == .events {
          flaws.append("\(entry.position) was tried before its time")
        }
      }
      if shipment.lane.kind == .account {
        let user = shipment.lane.user
        if let next = nextState[user], next > now { flaws.append("\(user) was sent too soon") }
        stateUnderWay[user] = head
      }
      underWay.append(shipment)
      if random.chance(0.2) { return }
    }
  }

  /// Brings the outcome of a shipment home.
  private mutating func finishOne(as fixed: DeliveryOutcome?) {
    guard !underWay.isEmpty else { return }
    let shipment = underWay.remove(at: Int(random.number(in: 0...Int64(underWay.count - 1))))
    if fixed == nil, random.chance(0.03) {
      // Given up by us; the receiver may have got it all the same.
      if random.chance(0.5) { receive(shipment.entries[0]) }
      return queue.settle(shipment, [], now: now, jitter: random.fraction())
    }
    var outcomes: [DeliveryOutcome] = []
    var attempt = shipment.attempt
    for entry in shipment.entries {
      let outcome = fixed ?? outcome(of: entry)
      outcomes.append(outcome)
      switch outcome {
      case .delivered:
        receive(entry)
        if entry.lane.kind == .account {
          nextState[entry.lane.user] = now.adding(seconds: limits.accountEverySeconds)
        }
      case .refused, .notWanted: settle(entry)
      case .failed where attempt > retries.delaysSeconds.count: settle(entry)
      case .failed where entry.lane.kind == .events:
        notBefore[entry.position] = now.adding(seconds: retries.delaysSeconds[attempt - 1])
      case .postponed(let until):
        if entry.lane.kind == .events { notBefore[entry.position] = until }
      case .failed, .gone, .unavailable: break
      }
      if case .delivered = outcome {} else if case .refused = outcome {} else { break }
      attempt = 1
    }
    queue.settle(shipment, outcomes, now: now, jitter: random.fraction())
  }

  private mutating func outcome(of entry: LaneEntry) -> DeliveryOutcome {
    if hasPoison, entry.lane.user == "u0" {
      return .failed(DeliveryFailure("poison", status: 400, isSinkWide: false))
    }
    if isDown { return .failed(DeliveryFailure("down", isSinkWide: true)) }
    guard random.chance(failureRate) else { return .delivered(status: 200) }
    switch random.number(in: 0...7) {
    case 7: return .postponed(until: now.adding(seconds: random.number(in: 1...90)))
    case 0: return .refused(reason: "no", status: 400)
    case 1: return .unavailable(reason: "disk")
    case 2: return .failed(DeliveryFailure("slow down", retryAfterSeconds: 30, isSinkWide: true))
    default: return .failed(DeliveryFailure("bad luck", isSinkWide: random.chance(0.3)))
    }
  }

  private mutating func receive(_ entry: LaneEntry) {
    receipts += 1
    settle(entry)
  }

  private mutating func settle(_ entry: LaneEntry) {
    if entry.lane.kind == .account {
      let user = entry.lane.user
      stateSeen[user] = max(stateSeen[user] ?? 0, stateUnderWay[user] ?? 0)
      return
    }
    guard entry.lane.kind == .events, !seen.contains(entry.position) else { return }
    if let last = settled[entry.lane.user]?.last, last > entry.position {
      flaws.append("\(entry.position) of \(entry.lane.user) came after \(last)")
    }
    seen.insert(entry.position)
    settled[entry.lane.user, default: []].append(entry.position)
  }

  private mutating func record(isFinal: Bool = false) {
    volatile += queue.dequeueChanges(isFinal: isFinal)
    // Any part of what is at hand may be on the disk when a crash comes.
    let count = isFinal ? volatile.count : Int(random.number(in: 0...Int64(volatile.count)))
    for change in volatile.prefix(count) {
      progress.apply(change, at: now)
      checkCursor(change)
    }
    volatile.removeFirst(count)
  }

  /// Whatever the cursor has passed is settled, or known to be behind.
  private mutating func checkCursor(_ change: RelayChange) {
    guard case .cursor(let cursor) = change else { return }
    for (user, position) in positions() where position.seq <= cursor.seq {
      guard !seen.contains(position) else { continue }
      let behind = progress.behind[Lane(user: user)]
      if behind.map({ position < $0.from }) ?? true {
        flaws.append("the cursor passed \(position) of \(user)")
      }
    }
    // A later change brings an earlier one with it.
    let later = Set(lines.dropFirst(Int(cursor.seq)).filter { $0.events > 0 }.map(\.user))
    for user in unseenStates(through: cursor.seq).subtracting(later)
    where progress.behind[Lane(.account, user: user)] == nil {
      flaws.append("the cursor passed the state of \(user)")
    }
  }

  private mutating func crash() {
    // What was under way may have arrived.
    for shipment in underWay where random.chance(0.5) { receive(shipment.entries[0]) }
    underWay = []
    volatile = []
    notBefore = [:]
    nextState = [:]
    queue = DeliveryQueue(options, limits: limits, retries: retries, after: progress)
  }

  private mutating func resume() {
    queue.resume(actor: "a")
    notBefore = [:]
    nextState = [:]
  }

  private mutating func replayOne() {
    guard let user = settled.keys.sorted().first, let position = settled[user]?.first else {
      return
    }
    queue.replay([user: [position]], actor: "a")
  }

  private mutating func check() {
    if queue.underWay > options.shipmentsAtOnce { flaws.append("too much under way") }
    if queue.entries > limits.entries + 20 { flaws.append("\(queue.entries) entries in memory") }
    if queue.cursor.seq < progress.cursor.seq { flaws.append("the cursor went back") }
  }
}
