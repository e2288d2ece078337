import CivilTime
import Digests
import Foundations
import HTTPClient
import Ledger
import TestSupport
import Testing

@testable import NotificationRelay

/// The queue's decisions against a world that a seed determines: a growing ledger, a receiver that fails in many ways, pauses,
/// replays, crashes at any point with any part of the records on the disk.
@Suite(.offThePool) struct DeliveryQueueTests {
  @Test(arguments: (0..<100).map { UInt64($0) })
  func losesNothingAndKeepsTheOrderOfEachUser(seed: UInt64) {
    var world = QueueWorld(seed: seed)
    for _ in 0..<1_000 { world.step() }
    world.settleAll()
    #expect(world.flaws == [], "seed \(seed)")
    #expect(world.unsettled == [], "seed \(seed)")
    #expect(world.receipts > 0, "seed \(seed)")
  }

  /// A user whose events are refused for ever holds nobody up, and not the cursor.
  @Test func aPoisonedUserDelaysNobody() {
    var world = QueueWorld(seed: 7, hasPoison: true, failureRate: 0, mayCrash: false)
    for _ in 0..<1_000 { world.step() }
    world.sendAll()
    #expect(world.flaws == [])
    #expect(world.unsettled.filter { !$0.hasPrefix("u0 ") } == [])
    #expect(!world.unsettled.isEmpty)
    #expect(world.progress.cursor.seq == world.head)
  }

  @Test func theTableOfRetriesIsStandardWebhooks() {
    let table = RetrySchedule.deliveries
    var waits: [Double] = []
    for attempts in 1...9 {
      let next = table.delaySeconds(after: attempts, retryAfterSeconds: 0, random: 0) ?? -1
      waits.append(next)
      #expect(table.delaySeconds(after: attempts, retryAfterSeconds: 0, random: 1) == next * 1.2)
    }
    #expect(waits == [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400])
    #expect(table.delaySeconds(after: 10, retryAfterSeconds: 0, random: 0) == nil)
    #expect(table.delaySeconds(after: 1, retryAfterSeconds: 120, random: 0) == 120)
    let absurd = DeliveryFailure("x", retryAfterSeconds: .max, isSinkWide: true)
    #expect(absurd.retryAfterSeconds == 86_400)
  }

  /// One by one, ever further apart, until one succeeds.
  @Test func theCircuitOpensAndProbes() {
    var options = SinkOptions()
    options.shipmentsAtOnce = 100
    var queue = DeliveryQueue(options, after: RelayProgress())
    var now = Instant(seconds: 0)
    var portion = LanePortion(through: 100)
    portion.entries = (1...100).map { number in
      LaneEntry(
        EventPosition(seq: number), lane: Lane(user: "u\(number)"),
        event: QueueWorld.event(seq: number, index: 0, user: "u\(number)"))
    }
    queue.add(portion, for: .next(after: 0), now: now)
    let down = DeliveryOutcome.failed(DeliveryFailure("no connection", isSinkWide: true))
    for _ in 1...5 {
      guard let shipment = queue.dequeue(now: now) else {
        Issue.record("nothing to send")
        return
      }
      queue.settle(shipment, [down], now: now, jitter: 0)
    }
    #expect(queue.dequeue(now: now) == nil)
    var waits: [Int64] = []
    for _ in 1...8 {
      guard let wake = queue.wake else {
        Issue.record("never wakes")
        return
      }
      waits.append(wake.seconds(since: now))
      now = wake
      guard let probe = queue.dequeue(now: now) else {
        Issue.record("no probe")
        return
      }
      #expect(queue.dequeue(now: now) == nil)
      queue.settle(probe, [down], now: now, jitter: 0)
    }
    #expect(waits == [5, 10, 20, 40, 80, 160, 300, 300])
    now = queue.wake ?? now
    guard let probe = queue.dequeue(now: now) else {
      Issue.record("no probe")
      return
    }
    queue.settle(probe, [.delivered(status: 200)], now: now, jitter: 0)
    #expect(queue.dequeue(now: now) != nil && queue.dequeue(now: now) != nil)
  }

  /// A reason why nothing can even be tried is recorded once, and again when it is another or comes again.
  @Test func whatHindersASinkIsRecorded() {
    var queue = DeliveryQueue(SinkOptions(), after: RelayProgress())
    var now = Instant(seconds: 0)
    var portion = LanePortion(through: 3)
    portion.entries = [
      LaneEntry(
        EventPosition(seq: 1), lane: Lane(user: "u"),
        event: QueueWorld.event(seq: 1, index: 0, user: "u"))
    ]
    queue.add(portion, for: .next(after: 0), now: now)
    var recorded: [RelayChange] = []
    for reason in ["no token", "no token", "no disk", "no token"] {
      guard let shipment = queue.dequeue(now: now) else {
        Issue.record("nothing to send")
        return
      }
      queue.settle(shipment, [.unavailable(reason: reason)], now: now, jitter: 0)
      recorded += queue.dequeueChanges()
      now = queue.wake ?? now
    }
    #expect(
      recorded == ["no token", "no disk", "no token"].map { .hindered(reason: $0) })
    var progress = RelayProgress()
    progress.apply(recorded[1], at: now)
    #expect(progress.lastFailure?.reason == "no disk" && progress.failures == 0)
  }

  /// Of an account only the latest state is sent, and not too often.
  @Test func accountsAreCoalesced() {
    var limits = QueueLimits()
    limits.accountEverySeconds = 60
    var queue = DeliveryQueue(SinkOptions(), limits: limits, after: RelayProgress())
    let lane = Lane(.account, user: "a")
    func portion(_ seqs: ClosedRange<UInt64>) -> LanePortion {
      var portion = LanePortion(through: seqs.upperBound)
      portion.entries = seqs.map { LaneEntry(EventPosition(seq: $0), lane: lane, event: nil) }
      portion.seals = [LedgerHead(seq: seqs.upperBound, hash: .zero)]
      return portion
    }
    let begin = Instant(seconds: 0)
    queue.add(portion(1...10), for: .next(after: 0), now: begin)
    guard let first = queue.dequeue(now: begin) else {
      Issue.record("nothing")
      return
    }
    #expect(first.entries.map(\.position.seq) == [10])
    queue.settle(first, [.delivered(status: 200)], now: begin, jitter: 0)
    #expect(queue.cursor.seq == 10)
    queue.add(portion(11...20), for: .next(after: 10), now: begin.adding(seconds: 1))
    #expect(queue.dequeue(now: begin.adding(seconds: 1)) == nil)
    // It waits without holding the cursor.
    #expect(queue.cursor.seq == 20 && queue.entries == 0)
    let due = begin.adding(seconds: 60)
    #expect(queue.wake == due)
    #expect(queue.dequeue(now: due)?.entries.map(\.position.seq) == [20])
  }
}
