package import CivilTime
import Engine
import Ledger
import RewardRules

/// Imports, moves and removes users.
package struct RosterImport: Sendable {
  /// The result of a roster import.
  package struct Result: Sendable, Equatable {
    /// The number of users who are new or came back.
    package var added = 0
    /// The number of users whose zone changes.
    package var moved = 0
    /// The number of users left unchanged.
    package var unchanged = 0
    /// Entries that could not be imported, each with its line.
    package var problems: [RosterProblem] = []
    /// Users of the ledger missing from the roster; they stay.
    package var missing: [String] = []
    /// The number of records appended, without seals.
    package var appended = 0
    /// The number of new users whose opening balances or ended days take two people; they are not imported.
    package var held = 0
    /// Why they wait, once that is requested; nil if nobody waits.
    package var waiting: SecondActor.Problem?

    package init() {}

    /// Returns the result of both, if `rest` comes from importing the same roster again.
    fileprivate func followed(by rest: Result) -> Result {
      var all = rest
      (all.added, all.moved) = (added + rest.added, moved + rest.moved)
      all.unchanged = unchanged
      all.appended += appended
      return all
    }
  }

  private let writer: LedgerWriter
  /// The number of entries whose changes share an append, to limit memory.
  private static let entriesPerAppend = 20_000

  /// Creates an import for this writer's ledger.
  package init(_ writer: LedgerWriter) { self.writer = writer }

  /// Imports a roster, appending only what differs from the ledger.
  ///
  /// A new user is judged from the day of `since`, or from today. A changed zone takes effect at the end of the
  /// running window. A removed user comes back only with `revives`. An unknown zone refuses its entry and affects no
  /// one else. Opening balances and days that have ended are an act of `actor`, recorded before them under the same seal. What is more
  /// than one person may give waits for another's approval, by `id`, and holds nobody else up. If an append fails,
  /// this throws: what was appended before stays, and importing the same roster again adds the rest.
  package func run(
    _ roster: RosterFile, defaultZone: String, revives: Bool = true, by actor: String,
    approving id: String? = nil
  ) async throws -> Result {
    var (result, held) = try await importing(roster, defaultZone, revives, by: actor, nil)
    guard let act = held?.act, let excess = held?.excess else { return result }
    do {
      let rest = try await SecondActor(writer).carryOut(act, approving: id, actor: actor) {
        [result] request in
        guard let request else { throw HandExcess(text: excess) }
        let (rest, still) = try await importing(roster, defaultZone, revives, by: actor, request)
        if let still { throw HandExcess(text: still.excess) }
        return result.followed(by: rest)
      }
      return rest
    } catch let problem as SecondActor.Problem {
      result.waiting = problem
      return result
    }
  }

  /// What takes two people: the act, and what in it passes which limit.
  private struct Held: Sendable {
    var bodies: [RecordBody]
    var excess: String

    var act: BigAct { .opening(bodies, RosterImport.summary(of: bodies) ?? "") }
  }

  /// Imports a roster, and what takes two people too if that is `request`; else returns that.
  private func importing(
    _ roster: RosterFile, _ defaultZone: String, _ revives: Bool, by actor: String,
    _ request: String?
  ) async throws -> (Result, Held?) {
    try await writer.alone { state, log in
      var result = Result()
      result.problems = roster.problems
      var held: Held?
      // One more user now and then is no reason to reallocate all of them.
      if roster.entries.count > Self.entriesPerAppend { state.reserve(for: roster) }
      var rest = roster.entries[...]
      while !rest.isEmpty {
        let portion = rest.prefix(Self.entriesPerAppend)
        rest = rest.dropFirst(portion.count)
        var bodies = Self.changes(by: portion, defaultZone, revives, state, &result)
        let given = bodies.filter { $0.by != nil }
        if let excess = Self.excess(of: given, by: actor, in: state) {
          bodies.removeAll { $0.by != nil }
          held = Held(bodies: (held?.bodies ?? []) + given, excess: held?.excess ?? excess)
        }
        result.appended += try log.commit([Self.draft(bodies, by: actor)], &state).count
      }
      if let request, let all = held, all.act.id == request,
        state.ledger.requests.isAgreed(request)
      {
        let draft = Self.draft(all.bodies, by: actor, request)
        result.appended += try log.commit([draft], &state).count
        held = nil
      }
      result.held = held?.bodies.count ?? 0
      result.added -= result.held
      let named = Set(roster.entries.map(\.entry.user))
      result.missing = state.ledger.accounts.filter { $0.isPresent && !named.contains($0.id) }
        .map(\.id)
      result.problems.sort { $0.line < $1.line }
      return (result, held)
    }
  }

  /// Returns the records that these entries require. Adds each entry's outcome to `result`.
  private static func changes(
    by entries: ArraySlice<(line: Int, entry: RosterEntry)>, _ defaultZone: String,
    _ revives: Bool, _ state: WorkingState, _ result: inout Result
  ) -> [RecordBody] {
    // A change must not come before one already known, whatever the clock says.
    let now = max(state.clock.now(), state.ledger.at)
    var bodies: [RecordBody] = []
    for (line, entry) in entries {
      do {
        let zone = try state.zones.zone(named: entry.zone ?? defaultZone)
        switch try state.change(entry, to: zone, now: now, revives: revives) {
        case .none: result.unchanged += 1
        case .added(let record):
          bodies.append(.user(record))
          result.added += 1
        case .moved(let record):
          bodies.append(.user(record))
          result.moved += 1
        }
      } catch let problem as RosterProblem {
        result.problems.append(RosterProblem(line: line, what: problem.what))
      } catch {
        result.problems.append(RosterProblem(line: line, what: "user \(entry.user): \(error)"))
      }
    }
    return bodies
  }

  /// Returns these records after the one of who imports the opening balances and ended days among them, if there are any.
  private static func draft(
    _ bodies: [RecordBody], by actor: String, _ request: String? = nil
  ) -> Draft {
    guard let summary = summary(of: bodies) else { return Draft(bodies) }
    var act = OperatorRecord(
      act: .bringIn, subject: "roster", what: summary, reason: "from before the ledger began",
      actor: actor)
    act.request = request
    return Draft([.operator(act)] + bodies)
  }

  /// Returns what opening balances and days that have ended bring, in words; nil if there are none.
  private static func summary(of bodies: [RecordBody]) -> String? {
    var (count, pasts) = (0, 0)
    var sum = Amounts()
    var first: Day?
    for case .user(let user) in bodies where user.by != nil {
      if let opening = user.opening {
        count += 1
        sum += opening.amounts
      } else if let since = user.since {
        pasts += 1
        first = min(first ?? since, since)
      }
    }
    var what: [String] = []
    if count > 0 { what.append("opening balances: \(sum.text); users \(count)") }
    if let first { what.append("days that have ended, from \(first) on: users \(pasts)") }
    return what.isEmpty ? nil : what.joined(separator: "; ")
  }

  /// Removes a user for good, as the act of `actor`; from then on no import brings the user back. Returns when the
  /// user was forgotten, and whether that was already so, in which case nothing is recorded; nil for an unknown user.
  package func forget(
    user: String, reason: String, by actor: String
  ) async throws -> (at: Instant, isPseudonym: Bool, wasForgotten: Bool)? {
    try await writer.change(.all) { state in
      guard let account = state.ledger.account(of: user) else {
        return LedgerWriter.Proposal([]) { _, _ in nil }
      }
      let isPseudonym = account.isPseudonym
      if let at = account.forgottenAt {
        return LedgerWriter.Proposal([]) { _, _ in (at, isPseudonym, true) }
      }
      let act = OperatorRecord(act: .forget, subject: user, reason: reason, actor: actor)
      let record = UserRecord(
        user: user, zone: state.ledger.zone(of: account),
        from: max(state.clock.now(), state.ledger.at), removed: true, pseudonym: isPseudonym,
        forgotten: true, by: RecordBody.actBefore)
      return LedgerWriter.Proposal([Draft([.operator(act), .user(record)])]) { state, _ in
        (state.ledger.at, isPseudonym, false)
      }
    }
  }

  /// Removes a user, as the act of `actor`. The days that have ended are still closed, but not the running one, and the past
  /// stays. Returns whether there was such a user.
  package func remove(user: String, reason: String, by actor: String) async throws -> Bool {
    try await writer.change(.all) { state in
      guard let account = state.ledger.account(of: user), account.isPresent else {
        return LedgerWriter.Proposal([]) { _, _ in false }
      }
      let act = OperatorRecord(act: .remove, subject: user, reason: reason, actor: actor)
      let record = UserRecord(
        user: user, zone: state.ledger.zone(of: account),
        from: max(state.clock.now(), state.ledger.at), removed: true, by: RecordBody.actBefore)
      return LedgerWriter.Proposal([Draft([.operator(act), .user(record)])]) { _, _ in true }
    }
  }
}

/// The change required by a roster entry.
private enum RosterChange {
  case none
  case added(UserRecord)
  case moved(UserRecord)
}

extension WorkingState {
  /// Reserves room for the users of `roster` whom the ledger does not know.
  fileprivate mutating func reserve(for roster: RosterFile) {
    reserve(users: roster.entries.count { ledger.index(of: $0.entry.user) == nil })
  }

  fileprivate func change(
    _ entry: RosterEntry, to zone: Zone, now: Instant, revives: Bool
  ) throws -> RosterChange {
    guard let index = ledger.index(of: entry.user) else {
      return .added(try firstRecord(of: entry, in: zone, now: now))
    }
    let account = ledger.accounts[index]
    if let at = account.forgottenAt {
      throw RosterProblem(
        line: 0,
        what:
          "user \(entry.user) was forgotten at \(at) and cannot come back; give the person a new id, and take this line out"
      )
    }
    let isPseudonym = entry.apiUser != nil
    if account.isPresent, account.isPseudonym, !isPseudonym {
      throw RosterProblem(
        line: 0,
        what:
          "user \(entry.user) is a pseudonym, and this line has no \"apiUser\"; add it, or remove the user first if the API now knows them by this id"
      )
    }
    let move = UserRecord(
      user: entry.user, zone: zone.name, from: now, pseudonym: isPseudonym)
    if account.isPresent {
      // A line without a zone requests no change.
      let isSame = entry.zone == nil || zone.name == wantedZone(of: account)
      if !isSame { return .moved(move) }
      if account.isPseudonym == isPseudonym { return .none }
      return .moved(
        UserRecord(
          user: entry.user, zone: wantedZone(of: account), from: now, pseudonym: isPseudonym))
    }
    if !revives { return .none }
    // If the day on which the user left is still running, it continues. Otherwise a new day begins.
    let left = try windowOfLeaving(account, orElse: entry.zone == nil ? nil : zone.name)
    if let left, left.window.contains(now) {
      let stays = UserRecord(
        user: entry.user, zone: left.zone, from: now, pseudonym: isPseudonym)
      return .added(entry.zone == nil ? stays : move)
    }
    return .added(
      try comeBack(
        entry, in: zone, now: now, after: left?.day ?? account.boundaryDay,
        endingAt: left?.window.end ?? max(account.boundary, account.leftAt ?? account.boundary)))
  }

  /// Returns the zone in which a user will live once all pending changes have taken effect.
  private func wantedZone(of account: Account) -> String {
    guard let comeback = account.comebacks.last else {
      return account.changes.last?.zone ?? ledger.zone(of: account)
    }
    // Moves from before the return no longer count.
    let change = account.changes.last { $0.at >= comeback.from }
    return change?.zone ?? ledger.users.zones[comeback.zone]
  }

  /// Returns the window in which a user left; nil if it is closed. `last` is used if no zone of the user can be read.
  private func windowOfLeaving(
    _ account: Account, orElse last: String?
  ) throws -> UserWindow? {
    guard let leftAt = account.leftAt else { return nil }
    let windows = try allWindows(of: account, through: leftAt, orElse: last)
    return windows.last { $0.window.contains(leftAt) }
  }

  /// Returns the record of a new user.
  private func firstRecord(of entry: RosterEntry, in zone: Zone, now: Instant) throws -> UserRecord
  {
    let window = try firstWindow(of: entry, in: zone, now: now)
    let isAct = entry.opening != nil || window.end <= now
    return UserRecord(
      user: entry.user, zone: zone.name, from: window.start, since: window.day,
      opening: entry.opening, pseudonym: entry.apiUser != nil,
      by: isAct ? RecordBody.actBefore : nil)
  }

  /// Returns the record of a user who comes back after the day of leaving, `last`, has ended. Days of absence are not
  /// judged, whatever the roster's `since` says. No closed day is reopened, and no instant belongs to two days.
  private func comeBack(
    _ entry: RosterEntry, in zone: Zone, now: Instant, after last: Day, endingAt earliest: Instant
  ) throws -> UserRecord {
    var window = zone.window(containing: max(now, earliest))
    if let problem = ledger.rules.current?.problem(judgedFrom: window.day) {
      throw RosterProblem(line: 0, what: "user \(entry.user): \(problem)")
    }
    while window.day <= last { window = zone.nextWindow(after: window) }
    return UserRecord(
      user: entry.user, zone: zone.name, from: max(window.start, earliest), since: window.day,
      pseudonym: entry.apiUser != nil)
  }

  private func firstWindow(
    of entry: RosterEntry, in zone: Zone, now: Instant
  ) throws -> DayWindow {
    var window = zone.window(containing: now)
    if let since = entry.since {
      guard let first = zone.window(of: since) else {
        throw RosterProblem(
          line: 0, what: "user \(entry.user): the day \(since) does not exist in \(zone.name)")
      }
      if window.day.number - first.day.number >= Windows.limit {
        throw RosterProblem(
          line: 0,
          what: "user \(entry.user): the day \(since) is more than \(Windows.limit) days ago")
      }
      window = first
    }
    if let problem = ledger.rules.current?.problem(judgedFrom: window.day) {
      throw RosterProblem(line: 0, what: "user \(entry.user): \(problem)")
    }
    return window
  }
}
