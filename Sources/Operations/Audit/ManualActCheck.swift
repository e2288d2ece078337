import AuditPage
import CivilTime
import Ledger
import RewardRules
import Scheduling

/// Checks that every manual gift names its actor, and that nobody gave alone what took two people.
///
/// Each record of a hand is held against the limits in force at its line. Lines of versions that recorded neither limits nor acts are
/// noted instead. Whatever people gave is summed up.
struct ManualActCheck: AuditCheck {
  /// The ledger's manual acts, and the limits for one person.
  struct Terms: Sendable {
    /// The reward of each signed gift according to the line of its actor, by key; nil where that line holds none.
    let signed: [String: String?]
    /// The acts that records name, by line.
    let acts: [UInt64: OperatorRecord]
    let agreed: AgreedActs
    let approvals: BigAct.Approvals
    /// Who counts as one person at the end of the ledger.
    let people: HandLimits.Person

    /// The keys of gifts that two people agreed on.
    var agreedGifts: Set<String> {
      Set(
        acts.lazy.filter { $0.value.act == .grant && agreed.lines[$0.key] != nil }
          .map(\.value.subject))
    }
  }

  static let id = 15
  static let name = "manual grants and credits"
  private static let named = 5
  /// How long ago a change was weighed at the most, and so perhaps on the day before.
  private static let secondsToSeal: Int64 = 3_600

  private(set) var list: FindingList
  private(set) var examined = 0
  private let terms: Terms?
  private var beyond: [String] = []
  /// What reversals took and gave back, by the lines of their acts.
  private var reversed: [UInt64: Amounts] = [:]
  /// What people gave, and what evidence gave beside it.
  private(set) var given: HandCount

  init(list: FindingList, _ terms: Terms?) {
    self.list = list
    self.terms = terms
    given = HandCount(acts: terms?.acts ?? [:], agreed: terms?.agreed.lines ?? [:])
  }

  /// Examines a record; `state` is the state before it.
  mutating func add(_ record: Record, before state: LedgerState) {
    guard let terms else { return }
    given.add(record, before: state)
    switch record.body {
    case .grant(let grant) where grant.cause == "manual" && !grant.isAdjustment:
      examined += 1
      guard let signed = terms.signed[grant.key] else {
        return found("given by hand, but no record says by whom", record.seq, grant)
      }
      if let signed, signed != grant.reward.text {
        found(
          "the grant is \(grant.reward.text), but its operator's record says \(signed)", record.seq,
          grant)
      }
      let excess = state.handLimits.excess(ofGift: record.body.givenByHand(state.rules))
      if let by = grant.by {
        examine(record, by, beyond: excess, state)
      } else if excess != nil,
        !terms.approvals.holds(.gift(grant.reward, under: grant.key, reason: ""))
      {
        beyond.append("\(grant.key) (\(grant.reward.text))")
      }
    case .grant(let grant) where HandKey(text: grant.baseKey) != nil:
      if grant.isAdjustment, RewardUnit.allCases.contains(where: { grant.reward.amounts[$0] > 0 }) {
        found("what somebody gave by hand was raised later", record.seq, grant)
      } else if let by = grant.by {
        examine(record, by, beyond: nil, state)
      }
    case .credit(let line):
      examined += 1
      if let id = line.id, let index = state.index(of: line.user),
        let exact = line.exactID, state.accounts[index].creditIDs[exact] != nil
      {
        list.add(
          AuditReport.Finding(
            "a second credit with the id \(id)", seq: record.seq, user: line.user))
      }
      if line.sender != nil { return }
      let excess = state.inForce(.hand).excess(of: line.credit, today: ([:], [:]))
      if let by = line.by {
        examine(record, by, beyond: excess, state)
      } else if excess != nil, !terms.approvals.holds(.credit(line)) {
        beyond.append(
          "a credit of \(line.credit.summary) to \(line.user) in line \(record.seq)")
      }
    case .reversal(let reversal):
      if let by = reversal.by { reversed[by, default: Amounts()] += reversal.reward.amounts }
    case .user(let user):
      if let by = user.by, state.index(of: user.user) == nil {
        examine(
          record, by,
          beyond: RosterImport.pastExcess(
            of: user, record.at.adding(seconds: -Self.secondsToSeal), state), state)
      }
      if user.opening != nil { examined += 1 }
    default: break
    }
  }

  /// Examines what the act `by` gives a user: `beyond` the limits of an act, or of a month.
  private mutating func examine(
    _ record: Record, _ by: UInt64, beyond: String?, _ state: LedgerState
  ) {
    guard let terms, let user = record.body.user,
      terms.agreed.lines[by] == nil, terms.agreed.lines[record.seq] == nil
    else { return }
    let given = record.body.givenByHand(state.rules)
    let before = state.account(of: user)?.hand.given(at: record.at) ?? [:]
    let excess =
      beyond ?? state.handLimits.excess(ofMonth: before.adding(given), adding: given, to: user)
    guard let excess else { return }
    let actor = terms.acts[by]?.actor ?? "nobody"
    list.add(
      AuditReport.Finding(
        "\(actor) alone gave what takes two people: \(excess)", seq: record.seq, user: user))
  }

  private mutating func found(_ text: String, _ seq: UInt64, _ grant: GrantRecord) {
    list.add(
      AuditReport.Finding(text, seq: seq, key: grant.key, user: grant.user, day: grant.day))
  }

  mutating func conclude() {
    guard let terms else { return }
    for finding in terms.agreed.findings { list.add(finding) }
    for (by, amounts) in reversed.sorted(by: { $0.key < $1.key }) {
      guard let excess = terms.agreed.appliedAlone[by]?.excess(of: amounts) else { continue }
      list.add(
        AuditReport.Finding(
          "\(terms.acts[by]?.actor ?? "nobody") alone reversed what takes two people: \(excess)",
          seq: by))
    }
  }

  mutating func merge(_ other: ManualActCheck) {
    list.merge(other.list)
    examined += other.examined
    beyond += other.beyond
    for (by, amounts) in other.reversed { reversed[by, default: Amounts()] += amounts }
    given.merge(other.given)
  }

  var note: String? {
    [
      terms?.people == .actor
        ? "people who share an account are told apart by the names they give" : nil,
      Self.text("above the configured limit, and approved by nobody", beyond),
    ].listed
  }

  private static func text(_ what: String, _ things: [String]) -> String? {
    if things.isEmpty { return nil }
    let rest = things.count - named
    return "\(what): \(things.sorted().prefix(named).joined(separator: ", "))"
      + (rest > 0 ? " and \(rest) more" : "")
  }
}
