import AuditReport
import Evidence
import Ledger
import RewardRules

/// Checks that all that a grant of the rules says of itself fits its key, and that the rules and the evidence which it names are in the ledger.
///
/// What it gives is worked out again from the evidence; this looks at the words beside the amounts. What it finds belongs to check 4.
struct GrantWordsCheck: Sendable {
  private(set) var list: FindingList

  /// Looks at a grant; `state` stands before it.
  mutating func add(_ record: Record, before state: LedgerState) {
    guard case .grant(let grant) = record.body,
      let problem = Self.problem(of: grant, in: record.seq, before: state)
    else { return }
    list.add(
      AuditReport.Finding(
        problem, seq: record.seq, key: grant.key, user: grant.user, day: grant.day))
  }

  mutating func merge(_ other: GrantWordsCheck) { list.merge(other.list) }

  private static func problem(
    of grant: GrantRecord, in seq: UInt64, before state: LedgerState
  ) -> String? {
    guard let key = RewardKey(text: grant.baseKey) else { return nil }
    if !isKey(grant.key, of: grant.user) { return "given to \"\(grant.user)\"" }
    if let day = key.day, day != grant.day { return "counted to \(grant.day)" }
    if key.mission != grant.mission { return "called a grant of \"\(grant.mission)\"" }
    if grant.cause == "manual" { return "said to be given by hand" }
    let (exp, isTooMuch) = grant.reward.baseExp.multipliedReportingOverflow(
      by: grant.reward.multiplier)
    if !grant.isAdjustment, !isTooMuch, exp != grant.reward.exp {
      return "\(grant.reward.exp) exp, where \(grant.reward.baseExp) "
        + "times \(grant.reward.multiplier) are \(exp)"
    }
    if !state.rules.documents.contains(where: { $0.version == grant.rules }) {
      return "by rules \"\(grant.rules)\", which the ledger does not hold"
    }
    guard let evidence = grant.evidence.first else { return nil }
    return isEvidence(evidence, of: grant, key, in: seq, before: state)
      ? nil : "line \(evidence) is no evidence of it"
  }

  private static func isKey(_ key: String, of user: String) -> Bool {
    key.utf8.starts(with: user.utf8)
      && key.utf8.dropFirst(user.utf8.count).first == UInt8(ascii: "/")
  }

  /// Whether the line `evidence` can be what a grant is given for. Of a plan's only the order is known: it looks far back.
  private static func isEvidence(
    _ evidence: UInt64, of grant: GrantRecord, _ key: RewardKey, in seq: UInt64,
    before state: LedgerState
  ) -> Bool {
    guard evidence < seq else { return false }
    if grant.cause.utf8.starts(with: "backfill:".utf8) { return true }
    guard let index = state.index(of: grant.user),
      let found = state.accounts[index].evidence.first(where: { $0.seq == evidence })
    else { return false }
    if case .mission(_, let kind) = key { return found.activity.kind == kind }
    return true
  }
}
