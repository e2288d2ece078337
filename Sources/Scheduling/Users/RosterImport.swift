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
    let second = SecondActor(writer)
    var wrong: SecondActor.Problem?
    var agreed: String?
    if let id, let act = try await act(approvedBy: id, roster, defaultZone, revives) {
      do {
        if try await second.approve(act, id, by: actor) { agreed = id }
      } catch let problem as SecondActor.Problem {
        wrong = problem
      }
    }
    var (result, held) = try await importing(roster, defaultZone, revives, by: actor, agreed)
    result.waiting = wrong
    guard let held else { return result }
    do {
      let rest = try await second.carryOut(held.act, approving: nil, actor: actor) { request in
        guard let request else { throw HandExcess(text: held.excess) }
        return try await importing(roster, defaultZone, revives, by: actor, request).0
      }
      return result.followed(by: rest)
    } catch let problem as SecondActor.Problem {
      result.waiting = wrong ?? problem
      return result
    }
  }

  /// What takes two people: the changes, and what in them passes which limit.
  private struct Held: Sendable {
    let act: BigAct
    let excess: String
  }

  /// Returns the act that the request `id` is about: all opening balances and ended days in the roster, or those that take two people by
  /// themselves. Returns the first of these if it is about something else; nil if the roster brings neither.
  private func act(
    approvedBy id: String, _ roster: RosterFile, _ defaultZone: String, _ revives: Bool
  ) async throws -> BigAct? {
    try await writer.alone { state, _ in
      let acts = Self.acts(in: roster, defaultZone, revives, state)
      if acts.isEmpty { return nil }
      return Self.groups(of: acts, in: state).map { Self.act(on: $0) }.first { $0.id == id }
        ?? Self.act(on: acts)
    }
  }

  private static func acts(
    in roster: RosterFile, _ defaultZone: String, _ revives: Bool, _ state: WorkingState
  ) -> [RecordBody] {
    var ignored = Result()
    return changes(by: roster.entries[...], defaultZone, revives, state, &ignored)
      .filter { $0.by != nil }
  }

  /// Returns the groups in which changes may wait: all, or those that take two people by themselves.
  private static func groups(
    of acts: [RecordBody], in state: WorkingState
  ) -> [[RecordBody]] {
    [acts, acts.filter { excess(of: $0, in: state) != nil }]
  }

  private static func act(on changes: [RecordBody]) -> BigAct {
    let users = changes.compactMap { if case .user(let user) = $0 { user } else { nil } }
    return .opening(of: users, summary(of: changes) ?? "")
  }

  /// Imports a roster, and what takes two people too if that is what the request `agreed` is about; else returns that.
  private func importing(
    _ roster: RosterFile, _ defaultZone: String, _ revives: Bool, by actor: String,
    _ agreed: String?
  ) async throws -> (Result, Held?) {
    try await writer.alone { state, log in
      var result = Result()
      result.problems = roster.problems
      var together: [RecordBody] = []
      if let agreed {
        let acts = Self.acts(in: roster, defaultZone, revives, state)
        together =
          Self.groups(of: acts, in: state).first {
            let act = Self.act(on: $0)
            return act.id == agreed && state.ledger.isAgreed(act)
          } ?? []
      }
      let users = Set(together.compactMap(\.user))
      var held: [RecordBody] = []
      var excess: String?
      // One more user now and then is no reason to reallocate all of them.
      if roster.entries.count > Self.entriesPerAppend { state.reserve(for: roster) }
      var rest = roster.entries[...]
      while !rest.isEmpty {
        let portion = rest.prefix(Self.entriesPerAppend)
        rest = rest.dropFirst(portion.count)
        var changes = Self.changes(by: portion, defaultZone, revives, state, &result)
        changes.removeAll { $0.by != nil && users.contains($0.user ?? "") }
        if let (found, why) = Self.takingTwo(of: changes, by: actor, in: state) {
          excess = excess ?? why
          held += found
          let names = Set(found.compactMap(\.user))
          changes.removeAll { $0.by != nil && names.contains($0.user ?? "") }
        }
        let draft = Self.draft(changes, by: actor)
        result.appended += try log.commit([draft], &state).count
      }
      if !together.isEmpty {
        let draft = Self.draft(together, by: actor, agreed)
        result.appended += try log.commit([draft], &state).count
      }
      result.held = held.count
      result.added -= held.count
      let named = Set(roster.entries.map(\.entry.user))
      result.missing = state.ledger.accounts.filter { $0.isPresent && !named.contains($0.id) }
        .map(\.id)
      result.problems.sort { $0.line < $1.line }
      return (result, excess.map { Held(act: Self.act(on: held), excess: $0) })
    }
  }

  /// Returns which of these changes take two people, and why the first of them does; nil if none do. Those that one person may give
  /// one by one take two as well if all of them together are too much.
  private static func takingTwo(
    of changes: [RecordBody], by actor: String, in state: WorkingState
  ) -> (changes: [RecordBody], excess: String)? {
    let acts = changes.filter { $0.by != nil }
    var (big, small): ([RecordBody], [RecordBody]) = ([], [])
    var why: String?
    for act in acts {
      if let excess = excess(of: act, in: state) {
        why = why ?? excess
        big.append(act)
      } else {
        small.append(act)
      }
    }
    if let together = excess(of: small, by: actor, in: state) {
      return (acts, why ?? together)
    }
    return why.map { (big, $0) }
  }

  /// Returns the records that these entries require. Adds each entry's outcome to `result`.
  private static func changes(
    by entries: ArraySlice<(line: Int, entry: RosterEntry)>, _ defaultZone: String,
    _ revives: Bool, _ state: WorkingState, _ result: inout Result
  ) -> [RecordBody] {
    // A change must not come before one already known, whatever the clock says.
    let now = max(state.clock.now(), state.ledger.at)
    var changes: [RecordBody] = []
    for (line, entry) in entries {
      do {
        let zone = try state.zones.zone(named: entry.zone ?? defaultZone)
        switch try state.change(entry, to: zone, now: now, revives: revives) {
        case .none: result.unchanged += 1
        case .added(let record):
          changes.append(.user(record))
          result.added += 1
        case .moved(let record):
          changes.append(.user(record))
          result.moved += 1
        }
      } catch let problem as RosterProblem {
        result.problems.append(RosterProblem(line: line, what: problem.what))
      } catch {
        result.problems.append(RosterProblem(line: line, what: "user \(entry.user): \(error)"))
      }
    }
    return changes
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
    var (count, pasts, items, boosters) = (0, 0, 0, 0)
    var level: Int32 = 1
    var sum = Amounts()
    var first: Day?
    for case .user(let user) in bodies where user.by != nil {
      if let opening = user.opening {
        count += 1
        sum += opening.amounts
        items += opening.items.count
        boosters += opening.boosterUntil == nil ? 0 : 1
        level = max(level, opening.level)
      } else if let since = user.since {
        pasts += 1
        first = min(first ?? since, since)
      }
    }
    var what: [String] = []
    if count > 0 {
      let more =
        (items == 0 ? "" : ", items \(items)") + (boosters == 0 ? "" : ", boosters \(boosters)")
        + (level == 1 ? "" : ", levels up to \(level)")
      what.append("opening balances: \(sum.text)\(more); users \(count)")
    }
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
