package import CivilTime
import Engine
import Evidence
import Ledger
import RewardRules

extension WorkingState {
  /// Returns the routes worth polling for a user now: those whose kind is needed and is either not met on the running
  /// day, or not covered at the end of an earlier open one. A route that reports only a count is polled even if its
  /// kind is met, because the count at the end of a day is the one the next day begins with.
  mutating func routes(for user: Int, now: Instant) throws(ZoneError) -> [Source] {
    let windows = try openWindows(of: user, through: now)
    let account = ledger.accounts[user]
    if account.stopped != nil || !account.isPresent { return [] }
    var asked: KindSet = []
    for window in windows {
      guard let rules = ledger.rules.current?.rules(on: window.day) else { continue }
      let accomplished = rules.accomplished(in: window, by: account.evidence)
      for route in Source.polled where terms.polls(route) {
        guard let kind = route.polledKind, rules.neededKinds.contains(kind) else { continue }
        let isOver = !window.window.contains(now)
        if accomplished.contains(kind), isOver || !route.isCounter { continue }
        let end = window.end
        if isOver, looks[user][route].coverage.covers(from: end.adding(seconds: -1), to: end) {
          continue
        }
        asked.insert(kind)
      }
    }
    return Source.polled.filter { route in
      terms.polls(route) && route.polledKind.map(asked.contains) ?? false
    }
  }

  /// Returns the routes that a plan polls for a user now. One that reports only a count is polled every time.
  mutating func routes(
    for user: Int, now: Instant, by planner: LookPlanner
  ) throws(ZoneError) -> [Source] {
    if planner.plan == .interval { return try routes(for: user, now: now) }
    guard let needs = try needs(of: user, now: now) else { return [] }
    let kinds = planner.kinds(at: now, for: needs, habits[user])
    let routes = Source.routes.filter { $0.polledKind.map(kinds.contains) ?? false }
    guard Source.counters.contains(where: terms.polls) else { return routes }
    return routes + (try self.routes(for: user, now: now).filter(\.isCounter))
  }

  /// Returns what remains to be found out about a user's running day; nil if the user has no running day yet.
  mutating func needs(of user: Int, now: Instant) throws(ZoneError) -> LookNeeds? {
    let account = ledger.accounts[user]
    let days = try openWindows(of: user, through: now).map { window in
      var lacking: KindSet = []
      if account.stopped == nil, let rules = ledger.rules.current?.rules(on: window.day) {
        lacking = rules.neededKinds.intersection(terms.watched)
          .subtracting(rules.accomplished(in: window, by: account.evidence))
      }
      return LookNeeds.OpenDay(window: window.window, lacking: lacking)
    }
    var needs = LookNeeds(
      days, spread: PollPolicy.spread(of: account.id),
      peers: ledger.users.zones.population(of: account.zone),
      activities: account.evidence.map(\.activity), looks: looks[user])
    if let day = days.last?.window.day, let rules = ledger.rules.current?.rules(on: day) {
      needs?.lasting = rules.missions.lasting
      needs?.isCounted = Source.counters.contains { route in
        terms.polls(route) && route.polledKind.map(rules.neededKinds.contains) ?? false
      }
    }
    needs?.isWarned = account.state.streak.length > 0
    return needs
  }
}

extension LookPlanner {
  /// Returns when to poll each of these users next, after `now`.
  package func nextLooks(
    at users: some Sequence<Int> & Sendable, by writer: LedgerWriter, after now: Instant
  ) async -> [LookAgenda.Entry] {
    let users = Array(users)
    return await writer.read { state in
      users.map { user in
        let account = state.ledger.accounts[user]
        let later = now.adding(seconds: policy.everySeconds)
        func call(_ due: Instant) -> LookAgenda.Entry {
          LookAgenda.Entry(user: user, look: PlannedLook(due: due, latest: due))
        }
        // A user who has left may return, and an unknown zone may become known, so both are checked again.
        if !account.isPresent { return call(later) }
        guard let needs = try? state.needs(of: user, now: now) else {
          // Before the first judged day there is nothing to see.
          return call(account.boundary > now ? account.boundary : later)
        }
        return LookAgenda.Entry(
          user: user, look: next(after: now, for: needs, state.habits[user]))
      }
    }
  }
}
