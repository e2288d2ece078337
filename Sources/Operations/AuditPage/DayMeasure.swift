/// What a day's plot counts.
enum DayMeasure: String, CaseIterable {
  /// Grants.
  case grants
  /// Shop points.
  case points
  /// Exp.
  case exp

  /// The heading.
  var title: String {
    switch self {
    case .grants: "Grants"
    case .points: "Points"
    case .exp: "Exp"
    }
  }

  /// The measure's part of `sum`.
  func value(of sum: AuditFigures.Sum) -> Int64 {
    switch self {
    case .grants: sum.grants
    case .points: sum.points
    case .exp: sum.exp
    }
  }
}
