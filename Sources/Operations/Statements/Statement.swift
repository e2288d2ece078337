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
    /// The kind: `opening`, `credit`, `spending`, `grant`, `by hand`, `adjustment`, `waiver`, `taken back` or `given back`.
    package let kind: String
    /// The grant's key, or a credit's id.
    package let key: String
    /// The change in each unit, negative for a loss.
    package var amounts = Amounts()
    /// The items gained.
    package var items: [String] = []
    /// The items lost.
    package var removedItems: [String] = []
    /// When the booster runs that a grant gives.
    package var booster: BoosterWindow?
    /// The duration of the booster that a credit gives, in days of 24 hours.
    package var boosterDays: Int64?
    /// The reason and the actor.
    package var why = ""

    /// The entry with `change` made to a copy that has no contents yet.
    fileprivate func holding(_ change: (inout Entry) -> Void) -> Entry {
      var entry = Entry(seq: seq, at: at, day: day, kind: kind, key: key)
      entry.why = why
      change(&entry)
      return entry
    }

    /// The entry in parts: amounts, items and a booster are lines of their own.
    fileprivate var parts: [Entry] {
      var parts: [Entry] = []
      if !amounts.isZero { parts.append(holding { $0.amounts = amounts }) }
      if !items.isEmpty || !removedItems.isEmpty {
        parts.append(holding { ($0.items, $0.removedItems) = (items, removedItems) })
      }
      if booster != nil || boosterDays != nil {
        parts.append(holding { ($0.booster, $0.boosterDays) = (booster, boosterDays) })
      }
      return parts.isEmpty ? [self] : parts
    }
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
  /// The lines in the ledger's order.
  package let entries: [Entry]

  /// The sum of the lines.
  package var sum: Amounts { entries.reduce(Amounts()) { $0 + $1.amounts } }

  /// Whether the balance before, the lines, and the balance after agree; of exp, whatever levels it made.
  package var agrees: Bool {
    (before?.holdings.sum ?? Amounts()) + sum == after?.holdings.sum ?? Amounts()
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
        entries: fold.entries)
    }
  }
}

/// Collects the lines of a statement.
private struct StatementFold {
  let user: String
  let from: Instant
  private var state = LedgerState()
  private(set) var entries: [Statement.Entry] = []
  private var atBegin: Balance?
  private var hasBegun = false
  /// Whether the ledger knew the user before the current line.
  private var isKnown = false
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
    isKnown = state.index(of: user) != nil
    state.apply(record)
    if case .operator(let act) = record.body, act.act == .grant {
      reasons[act.subject] = state.requests.reason(ofGift: act)
    }
    if hasBegun { entries += self.entries(of: record).flatMap(\.parts) }
  }

  private func entries(of record: Record) -> [Statement.Entry] {
    func make(_ kind: String, _ key: String, _ day: Day?) -> Statement.Entry {
      Statement.Entry(seq: record.seq, at: record.at, day: day, kind: kind, key: key)
    }
    switch record.body {
    case .user(let user):
      // Only the user's first line brings the opening balance.
      guard user.user == self.user, !isKnown, let opening = user.opening else { return [] }
      var entry = make("opening", "", nil)
      // With the exp that made the level.
      entry.amounts = after?.holdings.credited ?? opening.amounts
      entry.items = opening.items
      if let until = opening.boosterUntil, until > user.from {
        entry.booster = BoosterWindow(from: user.from, until: until)
      }
      entry.why = "from before the ledger began"
      return [entry]
    case .credit(let record) where record.user == user: return entries(of: record, make)
    case .grant(let grant) where grant.user == user:
      let kind =
        grant.isAdjustment
        ? "adjustment"
        : grant.isFor(.waived) ? "waiver" : grant.isFor(.manual) ? "by hand" : "grant"
      var entry = make(kind, grant.key, grant.day)
      entry.amounts = grant.reward.amounts
      (entry.items, entry.removedItems) = (grant.reward.items, grant.removedItems)
      entry.booster = grant.reward.booster
      let rules = state.rules.documents.last { $0.version == grant.rules }
      let title = rules?.missions.title(of: grant.mission).map { "\($0.text()): " } ?? ""
      entry.why =
        reasons[grant.key] ?? "\(title)\(grant.mission), rules \(grant.rules) (\(grant.cause))"
      return [entry]
    case .reversal(let reversal) where reversal.user == user:
      var entry = make(reversal.undone ? "given back" : "taken back", reversal.key, nil)
      entry.amounts = reversal.reward.amounts
      (entry.items, entry.removedItems) = (reversal.reward.items, reversal.removedItems)
      entry.why = "\(reversal.reason) (\(reversal.actor))"
      return [entry]
    default: return []
    }
  }

  /// Returns what a credit gave, and what the user spent with it.
  private func entries(
    of record: CreditRecord, _ make: (_ kind: String, _ key: String, _ day: Day?) -> Statement.Entry
  ) -> [Statement.Entry] {
    let credit = record.credit
    var given = make("credit", record.id ?? "", nil)
    given.amounts = Amounts { max(0, credit.amounts[$0]) }
    given.items = credit.items
    given.boosterDays = credit.boosterDays == 0 ? nil : credit.boosterDays
    let teller = record.sender.map { " (\($0))" } ?? ""
    given.why = "credited from elsewhere\(teller)"
    var spent = make("spending", record.id ?? "", nil)
    spent.amounts = Amounts { min(0, credit.amounts[$0]) }
    spent.why = "spent elsewhere\(teller)"
    let isSpending = !spent.amounts.isZero
    return (isSpending && given.amounts.isZero && !credit.changesDays ? [] : [given])
      + (isSpending ? [spent] : [])
  }
}
