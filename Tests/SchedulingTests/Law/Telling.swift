import CivilTime
import Evidence
import Foundations
import Ledger
import RewardRules
import Sandbox
import Scheduling

/// One way in which true lives become known: when somebody polls, when lines arrive, when days are closed, and when the
/// service is restarted.
///
/// Unless a telling is late, all facts of a day are known before the day is closed.
struct Telling {
  enum Event {
    case visit(Int)
    case lines([InboxLine])
    case noteInbox
    case changeZone(user: String, zone: String)
    case close(zone: String, day: Day)
    case closeAll
    case restart
    case backfill(plan: String)
  }

  /// How a telling goes about it.
  struct Manner {
    var closesDaily: Bool
    var restarts: Int
    var extraLooks: Int
    /// Whether readings of the inbox claim to be complete although lines are still to come.
    var isInboxHasty: Bool
    /// Whether lines may arrive after their day was closed, up to the last day: a backfill must bring them in.
    var isLate = false
    /// How often what came late is brought in meanwhile.
    var backfills = 0
  }

  private(set) var events: [(at: Instant, event: Event)] = []

  init(of lives: [TrueLife], _ manner: Manner, seed: UInt64) {
    var random = SplitMix64(seed: seed, 4_711)
    for (index, life) in lives.enumerated() {
      for change in life.changes {
        events.append((change.at, .changeZone(user: life.id, zone: change.zone)))
      }
      addLooks(at: index, life, manner, &random)
      addLines(of: life, manner, &random)
      if manner.closesDaily {
        for window in life.windows.dropLast() {
          let at = window.end.adding(seconds: 1_800)
          if !manner.isInboxHasty { events.append((at.adding(seconds: -60), .noteInbox)) }
          events.append((at.adding(seconds: -1), .noteInbox))
          events.append((at, .close(zone: window.zone, day: window.day)))
        }
      }
    }
    let first = lives.map(\.windows[0].start).min() ?? .earliest
    let last = lives.map { $0.windows[$0.windows.count - 1].start }.max() ?? .latest
    let span = last.seconds(since: first)
    for _ in 0..<manner.restarts {
      events.append((first.adding(seconds: random.number(in: 0...span)), .restart))
    }
    for number in 0..<manner.backfills {
      let at = first.adding(seconds: random.number(in: 0...span))
      events.append((at, .backfill(plan: "plan\(number)")))
    }
    if manner.isInboxHasty {
      for _ in 0..<40 {
        events.append((first.adding(seconds: random.number(in: 0...span)), .noteInbox))
      }
    }
    // Of one instant, a change of zone is known first and a close comes last.
    events.sort { ($0.at, $0.event.rank) < ($1.at, $1.event.rank) }
    let end = last.adding(seconds: 3_600)
    events = events.filter { $0.at < end }
    events.append((end, .noteInbox))
    events.append((end, .closeAll))
  }

  /// A poll after each start, in time to see it as the last one, one after each midnight, and some more.
  private mutating func addLooks(
    at index: Int, _ life: TrueLife, _ manner: Manner, _ random: inout SplitMix64
  ) {
    for kind in [ActivityKind.stream, .gift] {
      let deeds = life.deeds(of: kind)
      for (deed, next) in zip(deeds, deeds.dropFirst().map(\.from) + [.latest]) {
        let until = min(next, deed.end.adding(seconds: 290)).seconds(since: deed.from) - 1
        let delay = random.number(in: 0...min(until, 30_000))
        events.append((deed.from.adding(seconds: delay), .visit(index)))
      }
    }
    for window in life.windows.dropLast() {
      events.append(
        (
          window.end.adding(seconds: SchedulerFixture.lag + random.number(in: 1...285)),
          .visit(index)
        ))
    }
    guard let first = life.windows.first, let last = life.windows.last else { return }
    let span = last.start.seconds(since: first.start)
    for _ in 0..<manner.extraLooks {
      events.append((first.start.adding(seconds: random.number(in: 0...span)), .visit(index)))
    }
  }

  /// Each line once or twice, at the latest before its day is closed.
  private mutating func addLines(
    of life: TrueLife, _ manner: Manner, _ random: inout SplitMix64
  ) {
    let last = life.windows[life.windows.count - 1].start
    for deed in life.deeds where deed.kind.source == .inbox {
      let line = InboxEntry.activity(user: life.id, kind: deed.kind, at: deed.from)
      deliver(
        line, at: deed.from, before: manner.closesDaily && !manner.isLate ? deed.end : last, &random
      )
    }
    for (number, purchase) in life.purchases.enumerated() {
      let line = InboxEntry.credit(
        CreditRecord(user: life.id, purchase.credit, id: "c\(number)"))
      deliver(
        line, at: purchase.credit.effective, before: manner.closesDaily ? purchase.end : last,
        &random)
    }
  }

  private mutating func deliver(
    _ entry: InboxEntry, at instant: Instant, before end: Instant, _ random: inout SplitMix64
  ) {
    let span = end.adding(seconds: 1_700).seconds(since: instant)
    let delay = random.chance(0.3) ? 0 : random.number(in: 0...span)
    let line = InboxLine(number: 1, entry: entry)
    events.append((instant.adding(seconds: delay), .lines([line])))
    if random.chance(0.2) {
      let again = random.number(in: delay...(span + 500_000))
      events.append((instant.adding(seconds: again), .lines([line, line])))
    }
  }
}

extension Telling.Event {
  fileprivate var rank: Int {
    switch self {
    case .changeZone: 0
    case .restart: 1
    case .visit: 2
    case .lines: 3
    case .noteInbox: 4
    case .close, .closeAll: 5
    case .backfill: 6
    }
  }
}
