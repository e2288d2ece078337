import CivilTime
import Digests
import Engine
import Evidence
import Ledger
import Operations
import RewardRules

extension Explanation {
  /// A grant or an adjustment, with its place in the ledger.
  struct GrantLine {
    let seq: UInt64
    let at: Instant
    let seal: LedgerHead
    let grant: GrantRecord
  }

  /// An outage or a pardon, with its place in the ledger.
  struct ExcuseLine {
    let seq: UInt64
    let at: Instant
    let record: ExcuseRecord
  }

  /// The outages and pardons that were declared for the day at any time and still stand.
  var excuses: [ExcuseLine] {
    let lines = records.compactMap { item in
      if case .excuse(let excuse) = item.record.body {
        ExcuseLine(seq: item.record.seq, at: item.record.at, record: excuse)
      } else {
        nil
      }
    }
    let declared = lines.map { LedgerState.Excuse(seq: $0.seq, record: $0.record) }
    let standing = Set(LedgerState.standing(declared, asOf: .max).map(\.seq))
    let window = day.window
    return lines.filter { line in
      standing.contains(line.seq)
        && line.record.zone.map { $0 == window.zone } ?? true
        && line.record.outage.map { $0.meets(from: window.start, to: window.end) } ?? true
    }
  }

  /// What the user received or spent elsewhere on the day, in ledger order.
  var credits: [(seq: UInt64, at: Instant, record: CreditRecord)] {
    records.compactMap { item in
      guard case .credit(let credit) = item.record.body else { return nil }
      return (item.record.seq, item.record.at, credit)
    }
  }

  /// Returns whether a step counts one of the ledger's credits; what a person gave is another's.
  func isCredit(_ step: TraceStep) -> Bool {
    guard case .credited(let counted) = step else { return false }
    return credits.contains { $0.record.credit.counted(from: counted.effective) == counted }
  }

  /// Returns the grants for a mission: the first grant, then adjustments, then level rewards by number.
  func grants(of mission: String) -> [GrantLine] {
    records.compactMap { item in
      guard case .grant(let grant) = item.record.body, grant.mission == mission else { return nil }
      return GrantLine(
        seq: item.record.seq, at: item.record.at, seal: item.seal, grant: grant)
    }
  }

  /// Returns what the day's limit holds back of a mission.
  func heldBack(_ mission: String) -> [RefusedRecord] {
    let key = "\(user)/\(day.window.day)/\(mission)"
    return held.filter { $0.key == key }
  }

  /// The refusals of grants that are held back and have not been given since.
  private var held: [RefusedRecord] {
    records.compactMap { item in
      guard case .refused(let refused) = item.record.body, refused.what == .heldBack else {
        return nil
      }
      let isGiven = records.contains { later in
        guard later.record.seq > item.record.seq, case .grant(let grant) = later.record.body else {
          return false
        }
        return grant.key == refused.key
      }
      return isGiven ? nil : refused
    }
  }

  /// Returns what a backfill would grant or correct for a mission of the day.
  func wouldBeGranted(_ mission: String) -> [GrantRecord] {
    (waiting?.records ?? []).compactMap { body in
      guard case .grant(let grant) = body, grant.mission == mission, grant.day == day.day else {
        return nil
      }
      return grant
    }
  }

  /// Returns the commands that examine or correct what was found about the day and these missions.
  func remedies(_ missions: [String]) -> [String] {
    var lines: [String] = []
    let date = day.window.day
    if let since = waiting?.since {
      lines.append(
        "the day waits for a backfill: rewards backfill --user \(user) --from \(since) --to \(date) --plan plan.json"
      )
    }
    // No outage hides what came before a user.
    let isHidden = gaps(of: nil).contains { $0.cause != Gap.notKnownYet }
    if day.isClosed, waiting == nil, !day.facts.isExcused, !isDeclared, isHidden {
      lines.append(
        "the day has gaps: rewards excuse --propose --from \(date) --to \(date) --min-gap 0"
      )
    }
    for key in missions.flatMap({ heldBack($0) }).compactMap(\.key) {
      lines.append("held back by the day's limit: rewards release \(key) --reason TEXT")
    }
    let keys = Set(missions.flatMap { grants(of: $0) }.map(\.grant.key))
    if deliveries.contains(where: { $0.isDead && keys.contains($0.key) }) {
      lines.append(
        "a delivery was given up: rewards relay dead lists it, rewards relay replay --dead sends it again"
      )
    }
    return lines
  }

  /// Whether a pardon, or an outage that meets one of the day's gaps, was declared at any time and still stands.
  private var isDeclared: Bool {
    let gaps = gaps(of: nil)
    return excuses.contains { excuse in
      guard let outage = excuse.record.outage else { return true }
      return gaps.contains { outage.meets(from: $0.from, to: $0.to) }
    }
  }

  /// Returns the reversals of a mission's grants, and their undoing.
  func reversals(of mission: String) -> [(seq: UInt64, reversal: ReversalRecord)] {
    let keys = Set(grants(of: mission).map(\.grant.key))
    return records.compactMap { item in
      guard case .reversal(let reversal) = item.record.body, keys.contains(reversal.key) else {
        return nil
      }
      return (item.record.seq, reversal)
    }
  }

  /// Returns the record of who gave by hand what is under a key, and why; nil if nobody did.
  func gift(_ key: String) -> OperatorRecord? {
    for item in records {
      if case .operator(let act) = item.record.body, act.subject == key { return act }
    }
    return nil
  }

  /// Returns the evidence of one kind, or of all.
  func evidence(of kind: ActivityKind?) -> [(seq: UInt64, evidence: EvidenceRecord)] {
    records.compactMap { item in
      guard case .evidence(let evidence) = item.record.body,
        kind == nil || evidence.activity.kind == kind
      else { return nil }
      return (item.record.seq, evidence)
    }
  }

  /// Returns the gaps of one kind, or of all: those recorded by the close, or for an open day those left by polls.
  func gaps(of kind: ActivityKind?) -> [Gap] {
    let recorded = records.flatMap { item -> [Gap] in
      if case .unknown(let unknown) = item.record.body { unknown.gaps } else { [] }
    }
    return (day.isClosed ? recorded : day.facts.gaps).filter { kind == nil || $0.kind == kind }
  }
}
