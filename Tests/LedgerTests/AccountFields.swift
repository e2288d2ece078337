import CivilTime
import Evidence
import Ledger
import RewardRules

/// Everything that an account holds, to be compared field by field.
struct AccountFields: Equatable {
  private let id: String
  private let whole: [Int64]
  private let flags: [Bool]
  private let texts: [String?]
  private let boundary: Instant
  private let knownSince: Instant
  private let refusals: Set<String>
  private let days: [Day]
  private let changes: [ZoneChange]
  private let state: AccountState
  private let grants: [StandingGrant]
  private let marks: [DayMark]
  private let evidence: [RecordedEvidence]
  private let late: [SeenActivity]
  private let credits: [Credit]
  private let creditIDs: Set<String>
  private let manualIDs: Set<String>
  private let heldBack: Set<RewardKey>
  private let released: Set<RewardKey>
  private let unknowns: [DayKinds]
  private let oddDays: [OddDay]
  private let evidenceDays: [UInt64]

  init(_ account: Account) {
    id = account.id
    whole = [
      Int64(account.zone), account.points, account.coins, Int64(account.recordedLevel),
      Int64(account.amended),
    ]
    flags = [account.isRemoved]
    texts = [account.stopped]
    boundary = account.boundary
    knownSince = account.knownSince
    refusals = account.refusals
    days = [account.boundaryDay, account.firstDay]
    changes = account.changes
    state = account.state
    grants = account.grants
    marks = account.marks
    evidence = account.evidence
    late = account.lateEvidence
    credits = account.credits
    creditIDs = account.creditIDs
    manualIDs = account.manualIDs
    heldBack = account.heldBack
    released = account.released
    unknowns = account.unknowns
    oddDays = account.oddDays
    evidenceDays = account.evidenceDays.indices.map { account.evidenceDays[$0] }
  }

  /// How many stored properties an account had when this was written.
  static let count = 27
}
