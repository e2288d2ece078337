import AuditPage
import CivilTime
import Ledger
import RewardRules
import Scheduling

/// Checks that every manual gift names its actor, and notes what one person gave that now needs two.
///
/// The ledger does not record the limits for manual acts, and they may have been different at the time. So an unapproved act
/// beyond the configured limits is a note, not a finding.
struct ManualActCheck: AuditCheck {
  /// The ledger's manual acts, and the limits for one person.
  struct Terms: Sendable {
    /// The reward of each signed gift according to the line of its actor, by key; nil where that line holds none.
    let signed: [String: String?]
    let approvals: BigAct.Approvals
    let limits: ManualLimits
  }

  static let id = 15
  static let name = "manual grants and credits"
  private static let named = 5

  private(set) var list: FindingList
  private(set) var examined = 0
  private let terms: Terms?
  private var beyond: [String] = []
  /// What users received by hand on a day, where no single gift exceeds the limits.
  private var small: [UserDay: Small] = [:]
  private var openings = Openings()

  private struct UserDay: Hashable, Sendable {
    let user: String
    let day: Day
  }

  private struct Small: Sendable {
    var count = 0
    var amounts = Amounts()

    mutating func add(_ more: Amounts) {
      count += 1
      amounts += more
    }
  }

  /// Opening balances of users.
  private struct Openings: Sendable {
    var count = 0
    var amounts = Amounts()
    var largest: (user: String, points: Int64) = ("", 0)

    mutating func add(_ other: Openings) {
      count += other.count
      amounts += other.amounts
      if (other.largest.points, largest.user) > (largest.points, other.largest.user) {
        largest = other.largest
      }
    }
  }

  init(list: FindingList, _ terms: Terms?) {
    self.list = list
    self.terms = terms
  }

  /// Examines a record; `state` is the state before it.
  mutating func add(_ record: Record, before state: LedgerState) {
    guard let terms else { return }
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
      if terms.limits.excess(of: grant.reward.amounts) == nil {
        small[UserDay(user: grant.user, day: grant.day), default: Small()].add(grant.reward.amounts)
      } else if !terms.approvals.holds(.gift(grant.reward, under: grant.key, reason: "")) {
        beyond.append("\(grant.key) (\(grant.reward.text))")
      }
    case .credit(let given):
      examined += 1
      if let id = given.id, let index = state.index(of: given.user),
        let exact = given.exactID, state.accounts[index].creditIDs[exact] != nil
      {
        list.add(
          AuditReport.Finding(
            "a second credit with the id \(id)", seq: record.seq, user: given.user))
      }
      if terms.limits.excess(of: given.credit) != nil,
        !terms.approvals.holds(.credit(given))
      {
        beyond.append(
          "a credit of \(given.credit.summary) to \(given.user) in line \(record.seq)")
      }
    case .user(let user):
      guard let opening = user.opening else { break }
      examined += 1
      openings.add(
        Openings(
          count: 1, amounts: opening.amounts,
          largest: (user: user.user, points: opening.amounts.points)))
    default: break
    }
  }

  private mutating func found(_ text: String, _ seq: UInt64, _ grant: GrantRecord) {
    list.add(
      AuditReport.Finding(text, seq: seq, key: grant.key, user: grant.user, day: grant.day))
  }

  mutating func merge(_ other: ManualActCheck) {
    list.merge(other.list)
    examined += other.examined
    beyond += other.beyond
    small.merge(other.small) { first, _ in first }
    openings.add(other.openings)
  }

  var note: String? {
    [
      Self.text("above the configured limit for one person, and approved by nobody", beyond),
      Self.text("above the limit for one person in several grants on one day", divided), opened,
    ].listed
  }

  /// Users who received more in several small gifts of a day than one gift may be.
  private var divided: [String] {
    guard let limits = terms?.limits else { return [] }
    return small.filter { limits.excess(of: $0.value.amounts) != nil }.map { place, sum in
      "\(place.user) \(place.day) (\(sum.amounts.shortText ?? "") in \(sum.count))"
    }
  }

  private var opened: String? {
    let brought = openings.amounts.text(showing: .points)
    guard openings.amounts.points > 0 || openings.amounts.coins > 0 else { return nil }
    return "opening balances brought \(brought) (users \(openings.count)); "
      + "the largest is that of \(openings.largest.user): \(openings.largest.points)"
  }

  private static func text(_ what: String, _ things: [String]) -> String? {
    if things.isEmpty { return nil }
    let rest = things.count - named
    return "\(what): \(things.sorted().prefix(named).joined(separator: ", "))"
      + (rest > 0 ? " and \(rest) more" : "")
  }
}
