import CivilTime
import Ledger
import Scheduling

extension Telling {
  /// Lives through the events with a service, which takes `keys` back as soon as they stand, once so much of the events is
  /// over; returns what the ledger and the book hold in the end.
  static func tell(
    _ lives: [TrueLife], _ manner: Telling.Manner, seed: UInt64, reversing keys: Set<String> = [],
    fromPercent: Int = 0
  ) async throws -> (office: Office, outcome: Outcome) {
    let start = lives.map(\.windows[0].start).min() ?? .earliest
    let office = try await Office(at: start.adding(seconds: -3_600))
    for life in lives {
      try await office.hire(
        #"{"user":"\#(life.id)","timezone":"\#(life.zone)","since":"\#(TrueLife.firstDay)"}"#)
    }
    let byID = Dictionary(uniqueKeysWithValues: lives.map { ($0.id, $0) })
    let api = TrueAPI(lives: byID, clock: office.clock)
    let events = Telling(of: lives, manner, seed: seed).events
    for (number, (at, event)) in events.enumerated() {
      office.clock.set(at)
      switch event {
      case .visit(let user):
        _ = try await Visitor(api: api, clerk: office.clerk, clock: office.clock).visit(user)
      case .lines(let lines): _ = try await office.clerk.take(lines, readAt: at)
      case .noteInbox: await office.noteInbox()
      case .changeZone(let user, let zone):
        try await office.hire(#"{"user":"\#(user)","timezone":"\#(zone)"}"#)
      case .close(let zone, let day): try await office.closeAll(zones: [zone], through: day)
      case .closeAll: try await office.closeAll()
      case .restart: await office.restart()
      case .backfill(let plan): try await office.backfill(plan: plan, clawsBack: true)
      }
      // As soon as it stands, a key that is to be taken back is.
      if number * 100 >= events.count * fromPercent, !keys.isDisjoint(with: office.records.net.keys)
      {
        try await office.reverse(keys, plan: "at-once")
      }
    }
    var outcome = Outcome(balances: [], net: office.records.net)
    for life in lives { outcome.balances.append(await office.balance(of: life.id)) }
    return (office, outcome)
  }
}
