import CivilTime
import Ledger
import RewardRules

extension Clerk {
  /// What an import of the roster did.
  public struct RosterReceipt: Sendable, Equatable {
    /// Users that are new, or came back.
    public var added = 0
    /// Users whose zone changes.
    public var moved = 0
    /// Users as they were.
    public var unchanged = 0
    /// Entries that could not be taken, each with its line.
    public var problems: [RosterProblem] = []
    /// Records appended, without seals.
    public var appended = 0

    /// Nothing was imported.
    public init() {}
  }

  /// Takes the roster in: only what differs from the ledger is written.
  ///
  /// A new user is judged from the day of `since`, or of now. A changed zone takes effect at the end of the window that
  /// runs now. Only with `revives` does somebody come back who was removed. An unknown zone refuses the entry and touches nobody else.
  public func take(
    _ roster: RosterFile, defaultZone: String, revives: Bool = true
  ) async throws -> RosterReceipt {
    try await inTurn { clerk in
      try await clerk.takeInTurn(roster, defaultZone, revives: revives)
    }
  }

  /// Takes a user out: nothing is judged from now on; the past stays. Returns whether there was such a user.
  public func remove(user: String) async throws -> Bool {
    try await inTurn { clerk in
      guard let account = clerk.desk.book.account(of: user), !account.isRemoved else {
        return false
      }
      let record = UserRecord(
        user: user, zone: clerk.desk.book.zone(of: account), from: clerk.clock.now(), removed: true)
      var draft = Draft()
      draft.bodies = [.user(record)]
      _ = try await clerk.commit([draft])
      return true
    }
  }

  private func takeInTurn(
    _ roster: RosterFile, _ defaultZone: String, revives: Bool
  ) async throws -> RosterReceipt {
    // A change must not come before one that is known already, whatever the clock says.
    let now = max(clock.now(), desk.book.at)
    var receipt = RosterReceipt()
    receipt.problems = roster.problems
    var draft = Draft()
    for (line, entry) in roster.entries {
      do {
        let zone = try desk.zones.zone(named: entry.zone ?? defaultZone)
        if let account = desk.book.account(of: entry.user), !account.isRemoved {
          let wanted = account.changes.last?.zone ?? desk.book.zone(of: account)
          // A line without a zone asks for no change.
          if entry.zone == nil || zone.name == wanted {
            receipt.unchanged += 1
          } else {
            draft.bodies.append(.user(UserRecord(user: entry.user, zone: zone.name, from: now)))
            receipt.moved += 1
          }
        } else if desk.book.index(of: entry.user) != nil, !revives {
          receipt.unchanged += 1
        } else {
          let past = desk.book.account(of: entry.user)
          draft.bodies.append(.user(try newUser(entry, in: zone, now: now, after: past)))
          receipt.added += 1
        }
      } catch let error as ZoneError {
        receipt.problems.append(RosterProblem(line: line, what: "user \(entry.user): \(error)"))
      } catch let problem as RosterProblem {
        receipt.problems.append(RosterProblem(line: line, what: problem.what))
      }
    }
    receipt.problems.sort { $0.line < $1.line }
    receipt.appended = try await commit([draft]).count
    return receipt
  }

  /// The line of a user who begins. Somebody who comes back is judged from after the `past` on: no closed day is opened
  /// again, whatever `since` says, and no instant belongs to two days.
  private func newUser(
    _ entry: RosterEntry, in zone: Zone, now: Instant, after past: Account?
  ) throws -> UserRecord {
    var window = zone.window(containing: now)
    if let since = entry.since {
      guard let first = zone.window(of: since) else {
        throw RosterProblem(
          line: 0, what: "user \(entry.user): the day \(since) does not exist in \(zone.name)")
      }
      if window.day.number - first.day.number >= OpenDays.limit {
        throw RosterProblem(
          line: 0,
          what: "user \(entry.user): the day \(since) lies more than \(OpenDays.limit) days back")
      }
      window = first
    }
    if let problem = desk.context.rules.problem(judgedFrom: window.day) {
      throw RosterProblem(line: 0, what: "user \(entry.user): \(problem)")
    }
    if let past {
      window = zone.window(containing: max(window.start, past.boundary))
      while window.day <= past.boundaryDay { window = zone.nextWindow(after: window) }
    }
    return UserRecord(
      user: entry.user, zone: zone.name, from: max(window.start, past?.boundary ?? window.start),
      since: window.day, opening: entry.opening)
  }
}
