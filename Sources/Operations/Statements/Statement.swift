package import CivilTime
import Foundations
package import Ledger
package import LedgerStore
package import RewardRules

/// The changes of a user's balance in a span of days, line by line, with the balance before and after.
///
/// Lines count by the time they were recorded, so the balance before, the lines and the balance after agree, whatever was
/// corrected later.
package struct Statement: Sendable {
  /// One line.
  package struct Entry: Sendable, Equatable {
    /// The ledger's line.
    package let seq: UInt64
    /// When it was recorded.
    package let at: Instant
    /// The user-local day that it concerns; nil for openings and credits.
    package let day: Day?
    /// The kind: `opening`, `credit`, `grant`, `by hand`, `adjustment`, `waiver`, `taken back` or `given back`.
    package let kind: String
    /// The grant's key, or a credit's id.
    package let key: String
    /// The change in each unit, negative for a loss.
    package var amounts = Amounts()
    /// The items gained.
    package var items: [String] = []
    /// The items lost.
    package var removedItems: [String] = []
    /// The reason and the actor.
    package var why = ""
  }

  /// The user's id.
  package let user: String
  /// The zone whose days count.
  package let zone: String
  /// The days.
  package let days: ClosedRange<Day>
  /// The balance when the first day began; nil if the user was not known then.
  package let before: Balance?
  /// The balance when the last day ended, or now.
  package let after: Balance?
  /// The total exp from lines before the first day, whatever levels it made.
  package let expBefore: Int64
  /// The lines in the ledger's order.
  package let entries: [Entry]

  /// The sum of the lines.
  package var sum: Amounts { entries.reduce(Amounts()) { $0 + $1.amounts } }

  /// Whether the balance before, the points and coins of the lines, and the balance after agree.
  package var agrees: Bool {
    let sum = self.sum
    return RewardUnit.held.allSatisfy {
      (before?.amounts[$0] ?? 0).addingSaturated(sum[$0]) == after?.amounts[$0] ?? 0
    }
  }

  /// Reads one user's lines; throws ``Failures/Failure`` when the ledger does not know the user, ``LedgerStore/LedgerError``, or
  /// an error about a zone that the machine does not know.
  package static func read(
    _ ledger: LedgerReader, of user: String, days: ClosedRange<Day>, zones: any ZoneSource
  ) async throws -> Statement {
    try await BlockingThread(named: "rewards.statement").run {
      let lines = try UserLines(ledger, of: user, zones: zones)
      let zone = lines.zone
      let start = zone.window(of: days.lowerBound)?.start ?? .earliest
      let end = zone.window(of: days.upperBound)?.end ?? .latest
      var fold = StatementFold(user: user, from: start)
      for record in lines.records.prefix(while: { $0.at < end }) { fold.consume(record) }
      return Statement(
        user: user, zone: zone.name, days: days, before: fold.before, after: fold.after,
        expBefore: fold.expBefore, entries: fold.entries)
    }
  }
}

/// Collects the lines of a statement.
private struct StatementFold {
  let user: String
  let from: Instant
  private var state = LedgerState()
  private(set) var entries: [Statement.Entry] = []
  private(set) var expBefore: Int64 = 0
  private var atBegin: Balance?
  private var hasBegun = false
  /// The reason for each manual gift, by key.
  private var reasons: [String: String] = [:]

  init(user: String, from: Instant) {
    self.user = user
    self.from = from
  }

  /// The balance after the last line that counts.
  var after: Balance? { state.balance(of: user) }
  /// The balance before the first line of the span.
  var before: Balance? { hasBegun ? atBegin : after }

  mutating func consume(_ record: Record) {
    if !hasBegun, record.at >= from {
      atBegin = state.balance(of: user)
      hasBegun = true
    }
    state.apply(record)
    if case .operator(let act) = record.body, act.act == .grant {
      let requester = state.requests.requester(ofGift: act.subject)
      reasons[act.subject] =
        "\(act.reason) (\(act.actor)\(requester.map { ", requested by \($0)" } ?? ""))"
    }
    guard let entry = entry(of: record) else { return }
    if hasBegun {
      entries.append(entry)
    } else {
      expBefore = expBefore.addingSaturated(entry.amounts.exp)
    }
  }

  private func entry(of record: Record) -> Statement.Entry? {
    func make(_ kind: String, _ key: String, _ day: Day?) -> Statement.Entry {
      Statement.Entry(seq: record.seq, at: record.at, day: day, kind: kind, key: key)
    }
    switch record.body {
    case .user(let user):
      guard user.user == self.user, let opening = user.opening else { return nil }
      var entry = make("opening", "", nil)
      (entry.amounts.points, entry.amounts.exp) = (opening.points, opening.exp)
      entry.items = opening.items
      entry.why = "from before the ledger began"
      return entry
    case .credit(let credit):
      guard credit.user == user else { return nil }
      var entry = make("credit", credit.id ?? "", nil)
      (entry.amounts.exp, entry.items) = (credit.exp, credit.items)
      entry.why = "credited from elsewhere"
      return entry
    case .grant(let grant):
      guard grant.user == user else { return nil }
      let kind =
        grant.isAdjustment
        ? "adjustment"
        : grant.isFor(.waived) ? "waiver" : grant.isFor(.manual) ? "by hand" : "grant"
      var entry = make(kind, grant.key, grant.day)
      entry.amounts = grant.reward.amounts
      (entry.items, entry.removedItems) = (grant.reward.items, grant.removedItems)
      entry.why = reasons[grant.key] ?? "\(grant.mission), rules \(grant.rules) (\(grant.cause))"
      return entry
    case .reversal(let reversal):
      guard reversal.user == user else { return nil }
      var entry = make(reversal.undone ? "given back" : "taken back", reversal.key, nil)
      entry.amounts = reversal.reward.amounts
      (entry.items, entry.removedItems) = (reversal.reward.items, reversal.removedItems)
      entry.why = "\(reversal.reason) (\(reversal.actor))"
      return entry
    default: return nil
    }
  }
}
