import AuditPage
import CivilTime
import Engine
import Ledger
import RewardRules
import Scheduling

/// Compares balances from three sources: another system, the ledger, and the evidence and rules.
struct BalanceCheck: AuditCheck {
  static let id = 13
  static let name = "external balances"

  private(set) var list: FindingList
  var examined: Int { outside.count }
  private let outside: [OutsideBalance]
  /// How far the ledger falls short of the re-derived amounts, by user, where it does.
  private var shortfalls: [String: RecordTotals] = [:]
  /// The ledger's balances of the requested users.
  private var ours: [String: Known] = [:]

  private static let named = 5
  /// The users whom the other system omits: the first few by name, their number and their balances.
  private var others: [String] = []
  private var othersCount = 0
  private var othersAmounts = Amounts()

  /// The ledger's balance of a user, with the level table that applies.
  private struct Known {
    let balance: Balance
    let caps: [Int64]
  }

  /// One unit of one user, from three sources.
  private struct Drift {
    let unit: String
    let outside: Int64
    let ledger: Int64
    let recomputed: Int64

    /// A description of which sources differ; nil when all agree.
    var text: String? {
      if outside == ledger, ledger == recomputed { return nil }
      if ledger == recomputed {
        let difference =
          outside > ledger ? "\(outside - ledger) too many" : "\(ledger - outside) missing"
        return "the other system has \(outside) \(unit), the ledger \(ledger): \(difference) there"
      }
      let three =
        "the other system has \(outside) \(unit), the ledger \(ledger), evidence and rules give \(recomputed)"
      if outside == recomputed { return "\(three): the ledger is wrong" }
      return outside == ledger
        ? "\(three): the ledger is wrong, and the other system agrees with it"
        : "\(three): all three differ"
    }
  }

  init(list: FindingList, outside: [OutsideBalance]) {
    self.list = list
    self.outside = outside
  }

  /// Notes how far users' ledgers fall short of the re-derived amounts.
  mutating func note(_ shortfalls: [String: RecordTotals]) {
    self.shortfalls.merge(shortfalls) { first, _ in first }
  }

  /// Notes the balances in `state` of the requested users.
  mutating func note(_ state: LedgerState) {
    for line in outside {
      guard let balance = state.balance(of: line.user), let account = state.account(of: line.user)
      else { continue }
      ours[line.user] = Known(balance: balance, caps: state.rules.caps(on: account.boundaryDay))
    }
    if outside.isEmpty { return }
    for account in state.accounts
    where RewardUnit.held.contains(where: { account.holdings.sum[$0] != 0 }) {
      if ours[account.id] != nil { continue }
      othersCount += 1
      othersAmounts += account.holdings.sum
      noteOther(account.id)
    }
  }

  private mutating func noteOther(_ user: String) {
    if others.count == Self.named, let last = others.last, last < user { return }
    others.insert(user, at: others.firstIndex { user < $0 } ?? others.endIndex)
    if others.count > Self.named { others.removeLast() }
  }

  mutating func merge(_ other: BalanceCheck) {
    ours.merge(other.ours) { first, _ in first }
    for user in other.others { noteOther(user) }
    othersCount += other.othersCount
    othersAmounts += other.othersAmounts
    note(other.shortfalls)
  }

  mutating func conclude() {
    for line in outside {
      if let problem = line.problem {
        list.add(AuditReport.Finding("\(line.place)not compared: \(problem)", user: line.user))
        continue
      }
      guard let known = ours[line.user] else {
        list.add(
          AuditReport.Finding("\(line.place)the user is not in the ledger", user: line.user))
        continue
      }
      let missing = shortfalls[line.user]?.amounts ?? Amounts()
      for drift in drifts(line, known, missing: missing) {
        guard let text = drift.text else { continue }
        list.add(AuditReport.Finding(line.place + text, user: line.user))
      }
    }
  }

  /// The control totals of both sides, and the users missing outside.
  var note: String? {
    if outside.isEmpty { return nil }
    let parts = RewardUnit.held.compactMap { unit -> String? in
      let compared = outside.filter { $0.amounts[unit] != nil }
      if compared.isEmpty { return nil }
      let outside = compared.reduce(Int64(0)) { $0.addingSaturated($1.amounts[unit] ?? 0) }
      let ledger = compared.reduce(Int64(0)) {
        $0.addingSaturated(ours[$1.user]?.balance.amounts[unit] ?? 0)
      }
      return "\(outside) \(unit.rawValue) in the other system, \(ledger) in the ledger"
    }
    let have = RewardUnit.held.map { "\(othersAmounts[$0]) \($0.rawValue)" }
    let left =
      othersCount == 0
      ? ""
      : "; not compared: \(othersCount), who have \(have.joined(separator: " and ")) "
        + "(\(others.joined(separator: ", "))"
        + (othersCount > Self.named ? ", …)" : ")")
    return "users compared: " + parts.joined(separator: "; ") + left
  }

  private func drifts(
    _ outside: OutsideBalance, _ known: Known, missing: Amounts
  ) -> [Drift] {
    let ours = known.balance
    var recomputed = AccountState()
    recomputed.level = ours.level
    recomputed.exp = ours.exp
    recomputed.apply(exp: missing.exp, caps: known.caps)
    return RewardUnit.allCases.compactMap { unit in
      let ledger = ours.amounts[unit]
      return outside.amounts[unit].map {
        Drift(
          unit: unit.rawValue, outside: $0, ledger: ledger,
          recomputed: unit == .exp ? recomputed.exp : ledger.addingSaturated(missing[unit]))
      }
    }
  }
}

extension OutsideBalance {
  /// The line in the file, as a prefix for a message.
  fileprivate var place: String { line.map { "line \($0): " } ?? "" }
}
