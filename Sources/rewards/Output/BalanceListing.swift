import CivilTime
import Described
import Ledger
import RewardRules

/// Every user's balance, with control totals.
struct BalanceListing {
  private let balances: [Balance]

  init(_ ledger: LedgerState) {
    balances = ledger.accounts.compactMap { ledger.balance(of: $0.id) }
      .sorted { $0.user < $1.user }
  }

  /// The text with which the row of sums begins. No user id looks like it.
  static let totalName = "TOTAL ("

  static let columns =
    ["user"] + RewardUnit.held.map(\.rawValue)
    + [
      "level", "exp", "items", "boosterUntil", "streak", "longest", "lastDay", "expTotal",
    ] + origins(of: Holdings()).map(\.name)

  /// Returns where points and coins came from: a column each, behind all others.
  private static func origins(of holdings: Holdings) -> [(name: String, amount: Int64)] {
    RewardUnit.held.flatMap { unit in
      [
        ("\(unit.rawValue)Earned", holdings.earned[unit]),
        ("\(unit.rawValue)Credited", holdings.credited[unit]),
        ("\(unit.rawValue)Spent", holdings.spent[unit]),
      ]
    }
  }

  private static func held(_ amounts: Amounts) -> [String] {
    RewardUnit.held.map { "\(amounts[$0])" }
  }

  private var rows: [[String]] {
    balances.map { balance in
      [balance.user] + Self.held(balance.holdings.sum) + [
        "\(balance.level)",
        "\(balance.exp)", "\(balance.items.count)", balance.boosterUntil?.description ?? "",
        "\(balance.streak.length)", "\(balance.streak.longest)",
        balance.streak.lastDay?.description ?? "", "\(balance.holdings.sum.exp)",
      ] + Self.origins(of: balance.holdings).map { "\($0.amount)" }
    }
  }

  private var holdings: Holdings {
    balances.reduce(into: Holdings()) { sum, balance in
      sum.earned += balance.holdings.earned
      sum.credited += balance.holdings.credited
      sum.spent += balance.holdings.spent
    }
  }
  private var items: Int { balances.reduce(0) { $0 + $1.items.count } }

  /// The control totals as a row.
  private var totals: [String] {
    let holdings = holdings
    let sum = holdings.sum
    return ["\(Self.totalName)\(balances.count) users)"] + Self.held(sum) + [
      "", "", "\(items)", "", "", "", "", "\(sum.exp)",
    ] + Self.origins(of: holdings).map { "\($0.amount)" }
  }

  /// The table as comma-separated values; the last row is the control totals.
  var csv: String { CSVText.text([Self.columns] + rows + [totals]) }

  /// Returns the table for people; the last line is the control totals.
  func text(_ style: TextStyle) -> String {
    var table = TextTable(
      Self.columns.map { $0.uppercased() },
      [.left] + RewardUnit.held.map { _ in .right }
        + [.right, .right, .right, .left, .right, .right, .left, .right]
        + Self.origins(of: Holdings()).map { _ in .right })
    for row in rows + [totals] { table.add(row) }
    return table.text(style)
  }

  /// The table for programs.
  static let output = JSONMembers<BalanceListing> {
    $0.list("balances", \.balances) { $0.include({ $0 }, as: Balance.membersWithUser) }
    $0.object("totals", { $0 }) {
      $0.add("users", \.balances.count)
      for unit in RewardUnit.held { $0.add(unit.rawValue) { $0.holdings.sum[unit] } }
      $0.add("items", \.items)
      $0.add("expTotal", \.holdings.sum.exp)
      $0.include(\.holdings)
    }
  }
}
