import CivilTime
import Ledger
import Scheduling

extension Telling {
  /// Lives through the events with a service, which takes `keys` back as soon as they stand, once so much of the events is
  /// over; returns what the ledger and the book hold in the end.
  static func tell(
    _ lives: [TrueLife], _ manner: Telling.Manner, seed: UInt64, reversing keys: Set<String> = [],
    fromPercent: Int = 0
  ) async throws -> (fixture: SchedulerFixture, outcome: Outcome) {
    let start = lives.map(\.windows[0].start).min() ?? .earliest
    let fixture = try await SchedulerFixture(at: start.adding(seconds: -3_600))
    for life in lives {
      try await fixture.hire(
        #"{"user":"\#(life.id)","timezone":"\#(life.zone)","since":"\#(TrueLife.firstDay)"}"#)
    }
    let byID = Dictionary(uniqueKeysWithValues: lives.map { ($0.id, $0) })
    let api = TrueAPI(lives: byID, clock: fixture.clock)
    let events = Telling(of: lives, manner, seed: seed).events
    for (number, (at, event)) in events.enumerated() {
      fixture.clock.set(at)
      switch event {
      case .visit(let user):
        let poller = Poller(
          api: api, writer: fixture.writer, intake: fixture.intake, clock: fixture.clock)
        _ = try await poller.poll(user)
      case .lines(let lines): _ = try await fixture.inboxIntake.add(lines, readAt: at)
      case .noteInbox: await fixture.noteInbox()
      case .changeZone(let user, let zone):
        try await fixture.hire(#"{"user":"\#(user)","timezone":"\#(zone)"}"#)
      case .close(let zone, let day): try await fixture.closeAll(zones: [zone], through: day)
      case .closeAll: try await fixture.closeAll()
      case .restart: fixture.restart()
      case .backfill(let plan): try await fixture.backfill(plan: plan, clawsBack: true)
      }
      // As soon as it stands, a key that is to be taken back is.
      if number * 100 >= events.count * fromPercent,
        !keys.isDisjoint(with: fixture.records.net.keys)
      {
        try await fixture.reverse(keys, plan: "at-once")
      }
    }
    var outcome = Outcome(balances: [], net: fixture.records.net)
    for life in lives { outcome.balances.append(await fixture.balance(of: life.id)) }
    return (fixture, outcome)
  }
}
