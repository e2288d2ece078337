import AuditPage
import RewardRules

extension RewardUnit {
  /// The columns that show an amount of each unit.
  static let columns = allCases.map { TablePage.Column($0.rawValue.uppercased(), .number) }
}

extension Amounts {
  /// The cells of ``RewardUnit/columns``.
  var cells: [String] { RewardUnit.allCases.map { "\(self[$0])" } }
}
