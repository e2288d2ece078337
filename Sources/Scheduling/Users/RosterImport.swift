import CivilTime
import Engine
import Ledger
import RewardRules

/// Brings users in, moves them and takes them out.
public struct RosterImport: Sendable {
  /// What an import of the roster did.
  public struct Result: Sendable, Equatable {
    /// Users that are new, or came back.
    public var added = 0
    /// Users whose zone changes.
    public var moved = 0
    /// Users as they were.
    public var unchanged = 0
    /// Entries that could not be taken, each with its line.
    public var problems: [RosterProblem] = []
    /// Users of the ledger whom the roster does not name: they stay.
    public var missing: [String] = []
    /// Records appended, without seals.
    public var appended = 0

    /// Nothing was imported.
    public init() {}
  }

  private let writer: LedgerWriter
  /// Entries whose changes share an append: memory for more is not needed at once.
  private static let entriesPerAppend = 20_000

  /// Imports by this writer.
  public init(_ writer: LedgerWriter) { self.writer = writer }

  /// Takes the roster in: only what differs from the ledger is written.
  ///
  /// A new user is judged from the day of `since`, or of now. A changed zone takes effect at the end of the window that
  /// runs now. Only with `revives` does somebody come back who was removed. An unknown zone refuses the entry and touches nobody else.
  /// Opening balances are `actor`'s act, which stands before them under the same seal. A failed append throws: what was
  /// appended before it stays, and the same roster brings in the rest.
  public func run(
    _ roster: RosterFile, defaultZone: String, revives: Bool = true, by actor: String
  ) async throws -> Result {
    try await writer.alone { state, log in
      var result = Result()
      result.problems = roster.problems
      // A user more now and then is no reason to move all others.
      if roster.entries.count > Self.entriesPerAppend { state.reserve(for: roster) }
      var rest = roster.entries[...]
      while !rest.isEmpty {
        let portion = rest.prefix(Self.entriesPerAppend)
        rest = rest.dropFirst(portion.count)
        let draft = Self.draft(of: portion, defaultZone, revives, by: actor, state, &result)
        result.appended += try log.commit([draft], &state).count
      }
      let named = Set(roster.entries.map(\.entry.user))
      result.missing = state.ledger.accounts.filter { $0.isPresent && !named.contains($0.id) }
        .map(\.id)
      result.problems.sort { $0.line < $1.line }
      return result
    }
  }

  /// What these entries change, with the act that brings their opening balances; tells in `result` what became of each.
  private static func draft(
    of entries: ArraySlice<(line: Int, entry: RosterEntry)>, _ defaultZone: String,
    _ revives: Bool, by actor: String, _ state: WorkingState, _ result: inout Result
  ) -> Draft {
    // A change must not come before one that is known already, whatever the clock says.
    let now = max(state.clock.now(), state.ledger.at)
    var draft = Draft()
    for (line, entry) in entries {
      do {
        let zone = try state.zones.zone(named: entry.zone ?? defaultZone)
        switch try state.change(entry, to: zone, now: now, revives: revives) {
        case .none: result.unchanged += 1
        case .added(let record):
          draft.bodies.append(.user(record))
          result.added += 1
        case .moved(let record):
          draft.bodies.append(.user(record))
          result.moved += 1
        }
      } catch let problem as RosterProblem {
        result.problems.append(RosterProblem(line: line, what: problem.what))
      } catch {
        result.problems.append(RosterProblem(line: line, what: "user \(entry.user): \(error)"))
      }
    }
    if let act = act(bringing: draft.bodies, by: actor) {
      draft.bodies.insert(.operator(act), at: 0)
    }
    return draft
  }

  /// Returns the record of who brings opening balances in, and how much they are; nil without any.
  private static func act(bringing bodies: [RecordBody], by actor: String) -> OperatorRecord? {
    var count = 0
    var sum = Amounts()
    for case .user(let user) in bodies {
      guard let opening = user.opening else { continue }
      count += 1
      sum.points = sum.points.addingSaturated(opening.points)
      sum.exp = sum.exp.addingSaturated(opening.exp)
    }
    if count == 0 { return nil }
    return OperatorRecord(
      act: .bringIn, subject: "roster", what: "opening balances: \(sum.text); users \(count)",
      reason: "brought along from before the ledger", actor: actor)
  }

  /// Takes a user out: the days that have ended are still closed, the running one is not; the past stays. Returns whether
  /// there was such a user.
  public func remove(user: String) async throws -> Bool {
    try await writer.change(.all) { state in
      guard let account = state.ledger.account(of: user), account.isPresent else {
        return LedgerWriter.Proposal([]) { _, _ in false }
      }
      let record = UserRecord(
        user: user, zone: state.ledger.zone(of: account),
        from: max(state.clock.now(), state.ledger.at), removed: true)
      return LedgerWriter.Proposal([Draft([.user(record)])]) { _, _ in true }
    }
  }
}

/// What an entry of the roster changes.
private enum RosterChange {
  case none
  case added(UserRecord)
  case moved(UserRecord)
}

extension WorkingState {
  /// Makes room for the users of `roster` whom the ledger does not know.
  fileprivate mutating func reserve(for roster: RosterFile) {
    reserve(users: roster.entries.count { ledger.index(of: $0.entry.user) == nil })
  }

  fileprivate func change(
    _ entry: RosterEntry, to zone: Zone, now: Instant, revives: Bool
  ) throws -> RosterChange {
    guard let index = ledger.index(of: entry.user) else {
      return .added(try begin(entry, in: zone, now: now))
    }
    let account = ledger.accounts[index]
    let move = UserRecord(user: entry.user, zone: zone.name, from: now)
    if account.isPresent {
      // A line without a zone asks for no change.
      let isSame = entry.zone == nil || zone.name == wantedZone(of: account)
      return isSame ? .none : .moved(move)
    }
    if !revives { return .none }
    // The day on which somebody left goes on when it still runs; otherwise a new day begins.
    let left = try windowOfLeaving(account, orElse: entry.zone == nil ? nil : zone.name)
    if let left, left.window.contains(now) {
      let stays = UserRecord(user: entry.user, zone: left.zone, from: now)
      return .added(entry.zone == nil ? stays : move)
    }
    return .added(
      try comeBack(
        entry, in: zone, now: now, after: left?.day ?? account.boundaryDay,
        endingAt: left?.window.end ?? max(account.boundary, account.leftAt ?? account.boundary)))
  }

  /// Returns the zone in which a user will live once everything that is known has taken effect.
  private func wantedZone(of account: Account) -> String {
    guard let comeback = account.comebacks.last else {
      return account.changes.last?.zone ?? ledger.zone(of: account)
    }
    // Moves from before the return count no more.
    let change = account.changes.last { $0.at >= comeback.from }
    return change?.zone ?? ledger.users.zones[comeback.zone]
  }

  /// Returns the window in which a user has left; nil when it is closed. `last` counts where no zone of the user can be read.
  private func windowOfLeaving(
    _ account: Account, orElse last: String?
  ) throws -> UserWindow? {
    guard let leftAt = account.leftAt else { return nil }
    let windows = try allWindows(of: account, through: leftAt, orElse: last)
    return windows.last { $0.window.contains(leftAt) }
  }

  /// Returns the line of a user who begins.
  private func begin(_ entry: RosterEntry, in zone: Zone, now: Instant) throws -> UserRecord {
    let window = try firstWindow(of: entry, in: zone, now: now)
    return UserRecord(
      user: entry.user, zone: zone.name, from: window.start, since: window.day,
      opening: entry.opening)
  }

  /// Returns the line of somebody who comes back after the day of leaving, `last`, has ended. Days of absence are not
  /// judged, whatever the roster's `since` says; no closed day is opened again, and no instant belongs to two days.
  private func comeBack(
    _ entry: RosterEntry, in zone: Zone, now: Instant, after last: Day, endingAt earliest: Instant
  ) throws -> UserRecord {
    var window = zone.window(containing: max(now, earliest))
    if let problem = ledger.rules.current?.problem(judgedFrom: window.day) {
      throw RosterProblem(line: 0, what: "user \(entry.user): \(problem)")
    }
    while window.day <= last { window = zone.nextWindow(after: window) }
    return UserRecord(
      user: entry.user, zone: zone.name, from: max(window.start, earliest), since: window.day)
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
          what: "user \(entry.user): the day \(since) lies more than \(Windows.limit) days back")
      }
      window = first
    }
    if let problem = ledger.rules.current?.problem(judgedFrom: window.day) {
      throw RosterProblem(line: 0, what: "user \(entry.user): \(problem)")
    }
    return window
  }
}
