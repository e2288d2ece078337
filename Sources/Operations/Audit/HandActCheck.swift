import AuditReport
import Ledger
import RewardRules
import Scheduling

/// Checks that a person's name stands beside each gift by hand, and notes what one person gave that now needs two.
///
/// The limits of hands are no part of the ledger: they may have been others when something was given. So what is beyond those
/// of the configuration, and was approved by nobody, is noted and is no finding.
struct HandActCheck: AuditCheck {
  /// What the ledger says of people's acts, and what one person may.
  struct Terms: Sendable {
    /// The keys of gifts that somebody has signed for.
    let signed: Set<String>
    let approvals: BigAct.Approvals
    let limits: HandLimits
  }

  static let id = 15
  static let name = "gifts and credits by hand"
  private static let named = 5

  private(set) var list: FindingList
  private(set) var examined = 0
  private let terms: Terms?
  private var beyond: [String] = []

  init(list: FindingList, _ terms: Terms?) {
    self.list = list
    self.terms = terms
  }

  mutating func add(_ record: Record) {
    guard let terms else { return }
    switch record.body {
    case .grant(let grant) where grant.cause == "manual" && !grant.isAdjustment:
      examined += 1
      if !terms.signed.contains(grant.key) {
        list.add(
          AuditReport.Finding(
            "given by hand, and no line says by whom", seq: record.seq, key: grant.key,
            user: grant.user, day: grant.day))
      } else if terms.limits.excess(of: grant.reward.amounts) != nil,
        !terms.approvals.holds(.gift(grant.reward, under: grant.key, reason: ""))
      {
        beyond.append("\(grant.key) (\(grant.reward.text))")
      }
    case .credit(let credit):
      examined += 1
      if credit.exp > terms.limits.expPerCredit, !terms.approvals.holds(.credit(credit, limit: 0)) {
        beyond.append("a credit of \(credit.exp) exp to \(credit.user) in line \(record.seq)")
      }
    default: break
    }
  }

  mutating func merge(_ other: HandActCheck) {
    list.merge(other.list)
    examined += other.examined
    beyond += other.beyond
  }

  func concluded() -> AuditReport.Check {
    var check = AuditReport.Check(Self.id, Self.name, examined: examined, list)
    if !beyond.isEmpty {
      let rest = beyond.count - Self.named
      check.note =
        "more than one person may by this configuration, and approved by nobody: "
        + beyond.sorted().prefix(Self.named).joined(separator: ", ")
        + (rest > 0 ? " and \(rest) more" : "")
    }
    return check
  }
}
