import AuditPage
import CivilTime
import Evidence
import Ledger
import RewardRules

/// Checks that a grant's fields fit its key, that a reversal concerns its own user, and that the ledger holds the rules and
/// evidence that they name.
///
/// Check 4 derives the amounts again from the evidence; this examines the other fields. Its findings belong to check 4.
struct GrantWordsCheck: Sendable {
  private(set) var list: FindingList

  /// Examines a grant or a reversal; `state` is the state before it.
  mutating func add(_ record: Record, before state: LedgerState) {
    switch record.body {
    case .grant(let grant):
      let key = RewardKey(text: grant.baseKey)
      guard
        let problem = Self.problem(of: grant.key, to: grant.user, state)
          ?? Self.problem(of: grant, key, in: record, before: state)
      else { return }
      list.add(
        AuditReport.Finding(
          problem, seq: record.seq, key: grant.key, user: grant.user, day: key?.day ?? grant.day))
    case .reversal(let reversal):
      guard let problem = Self.problem(of: reversal.key, to: reversal.user, state) else { return }
      list.add(
        AuditReport.Finding(problem, seq: record.seq, key: reversal.key, user: reversal.user))
    default: return
    }
  }

  mutating func merge(_ other: GrantWordsCheck) { list.merge(other.list) }

  private static func problem(
    of key: String, to user: String, _ state: LedgerState
  ) -> String? {
    if !GrantKey(key).isOf(user) { return "the key belongs to a user other than \"\(user)\"" }
    return state.index(of: user) == nil ? "there is no such user in the ledger" : nil
  }

  private static func problem(
    ofHand grant: GrantRecord, at instant: Instant, before state: LedgerState
  ) -> String? {
    let mission: OtherMission
    switch HandKey(text: grant.baseKey) {
    case .waived: mission = .waived
    case .manual:
      mission = .manual
      if grant.cause != "manual" { return "given by hand, but not marked so" }
    case nil: return "the key is not that of a grant"
    }
    if !grant.isFor(mission) {
      return "the key names \"\(mission.rawValue)\", the record \"\(grant.mission)\""
    }
    if grant.streak != nil { return "no day counts for a streak by hand" }
    if grant.isAdjustment { return nil }
    if grant.reward.multiplier != 1 || grant.reward.baseExp != grant.reward.exp {
      return "nothing multiplies what is given by hand"
    }
    if !grant.evidence.isEmpty { return "given by hand, but for a line of evidence" }
    if grant.rules != state.rules.current?.rules(on: grant.day)?.version ?? "" {
      return "given under the rules \"\(grant.rules)\", which were not in force"
    }
    guard let account = state.index(of: grant.user).map({ state.accounts[$0] }) else { return nil }
    let isInPlace =
      switch mission {
      case .waived:
        (grant.day, grant.effective) == (account.boundaryDay, account.boundary)
      default:
        // The day itself is examined once it is closed.
        grant.day > account.boundaryDay
          && (account.boundary...instant.adding(seconds: 1)).contains(grant.effective)
      }
    return isInPlace
      ? nil
      : "given by hand at \(instant), but it takes effect on \(grant.day) at \(grant.effective)"
  }

  private static func problem(
    of grant: GrantRecord, _ key: RewardKey?, in record: Record, before state: LedgerState
  ) -> String? {
    guard let key else { return problem(ofHand: grant, at: record.at, before: state) }
    if let day = key.day, day != grant.day {
      return "the key names \(day), the record \(grant.day)"
    }
    if key.mission != grant.mission {
      return "the key names \"\(key.mission)\", the record \"\(grant.mission)\""
    }
    if grant.cause == "manual" { return "marked as given by hand, but its key is a rule's" }
    if !grant.isAdjustment, let exp = grant.reward.multipliedBase, exp != grant.reward.exp {
      return "the record has \(grant.reward.exp) exp, but \(grant.reward.baseExp) "
        + "× \(grant.reward.multiplier) is \(exp)"
    }
    if !isRules(grant.rules, of: grant, in: state.rules) {
      return "granted by the rules \"\(grant.rules)\", which were not in force"
    }
    if !grant.isPlanned, !grant.isOfEvaluation {
      return "the program knows no cause \"\(grant.cause)\""
    }
    if grant.evidence.count > 1 { return "granted for more than one line" }
    // Adjustments, and levels reached by a credit, have no evidence.
    if grant.evidence.isEmpty, !grant.isAdjustment, key.day != nil {
      return "granted without evidence"
    }
    return grant.evidence.first { !isEvidence($0, of: grant, key, in: record.seq, before: state) }
      .map { "line \($0) is not evidence for it" }
  }

  /// Whether the grant may name the rules `version`.
  ///
  /// A plan judges a day by the rules it knew, and older versions of this program named none when a plan adjusted an open day.
  private static func isRules(
    _ version: String, of grant: GrantRecord, in rules: RuleHistory
  ) -> Bool {
    guard grant.isPlanned else { return rules.current?.rules(on: grant.day)?.version == version }
    return grant.isAdjustment && version.isEmpty
      || rules.documents.contains { $0.version == version }
  }

  /// Whether the line `evidence` can be the reason for a grant at its instant. For a plan's grant only the order is checked, because a plan
  /// reaches far back.
  private static func isEvidence(
    _ evidence: UInt64, of grant: GrantRecord, _ key: RewardKey, in seq: UInt64,
    before state: LedgerState
  ) -> Bool {
    if grant.isPlanned { return evidence < seq }
    guard let index = state.index(of: grant.user),
      let found = state.accounts[index].evidence.first(where: { $0.seq == evidence })
    else { return false }
    if case .mission(_, let kind) = key, found.activity.kind != kind { return false }
    return key.day == nil || found.activity.covers(grant.effective)
  }
}

extension GrantRecord {
  /// Whether the engine gave it when it evaluated days, neither a plan nor a person.
  var isOfEvaluation: Bool { ["live", "reconcile"].contains(cause) }
}

extension Reward {
  /// The exp that its base and multiplier make; nil if that is beyond 64 bits.
  var multipliedBase: Int64? {
    let (exp, isTooMuch) = baseExp.multipliedReportingOverflow(by: multiplier)
    return isTooMuch ? nil : exp
  }
}

extension Activity {
  /// Whether it happened at `instant`: when it began, or until its end as far as that is known.
  fileprivate func covers(_ instant: Instant) -> Bool {
    instant == from || from < instant && (isOpen || instant <= to)
  }
}
