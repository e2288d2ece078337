public import CivilTime
import Evidence
public import RewardRules

/// The parts that few accounts have at a time. Kept apart, so that all other accounts take less memory and copy faster.
struct RareParts: Sendable, Equatable {
  var leftAt: Instant?
  var forgottenAt: Instant?
  var comebacks: [Comeback] = []
  var late: LateFacts?
  var refusals: Set<String> = []
  var changes: [ZoneChange] = []
  var credits: [RecordedCredit] = []
  var creditIDs: [String: UInt64] = [:]
  var manualIDs: Set<String> = []
  var heldBack: Set<RewardKey> = []
  var released: Set<RewardKey> = []
  var unknowns: [DayKinds] = []
  var stopped: String?
  var amended: UInt64 = 0
  var plannedThrough: UInt64 = 0
  var creditedItems: Set<String> = []
  var voidedLogins: [Day] = []
  var hand = HandMonth()
}

extension Account {
  /// When the user left; nil for a user who is present.
  public internal(set) var leftAt: Instant? {
    get { rare.isEmpty ? nil : rare[0].leftAt }
    _modify { yield &rareParts.leftAt }
  }
  /// When the user was forgotten; nil for all but a few.
  public internal(set) var forgottenAt: Instant? {
    get { rare.isEmpty ? nil : rare[0].forgottenAt }
    _modify { yield &rareParts.forgottenAt }
  }
  /// The returns, in order, of a user who left and came back later; empty once the day of leaving is closed.
  public internal(set) var comebacks: [Comeback] {
    get { rare.isEmpty ? [] : rare[0].comebacks }
    _modify { yield &rareParts.comebacks }
  }
  /// The facts that came after their days were closed and that no plan has counted; nil if there are none.
  public internal(set) var late: LateFacts? {
    get { rare.isEmpty ? nil : rare[0].late }
    _modify { yield &rareParts.late }
  }
  /// The refusals of the user's evidence since the boundary, in words, so that each is reported once.
  public internal(set) var refusals: Set<String> {
    get { rare.isEmpty ? [] : rare[0].refusals }
    _modify { yield &rareParts.refusals }
  }
  /// The zone changes that have not taken effect, in order.
  public internal(set) var changes: [ZoneChange] {
    get { rare.isEmpty ? [] : rare[0].changes }
    _modify { yield &rareParts.changes }
  }
  /// The credits on open days that may change them.
  public internal(set) var credits: [RecordedCredit] {
    get { rare.isEmpty ? [] : rare[0].credits }
    _modify { yield &rareParts.credits }
  }
  /// The exact ids of all credits, each with the fingerprint of its contents.
  public internal(set) var creditIDs: [String: UInt64] {
    get { rare.isEmpty ? [:] : rare[0].creditIDs }
    _modify { yield &rareParts.creditIDs }
  }
  /// The ids of all manual grants.
  public internal(set) var manualIDs: Set<String> {
    get { rare.isEmpty ? [] : rare[0].manualIDs }
    _modify { yield &rareParts.manualIDs }
  }
  /// The keys held back by a limit.
  public internal(set) var heldBack: Set<RewardKey> {
    get { rare.isEmpty ? [] : rare[0].heldBack }
    _modify { yield &rareParts.heldBack }
  }
  /// The keys released by an operator.
  public internal(set) var released: Set<RewardKey> {
    get { rare.isEmpty ? [] : rare[0].released }
    _modify { yield &rareParts.released }
  }
  /// The kinds recorded as unknown on open days.
  public internal(set) var unknowns: [DayKinds] {
    get { rare.isEmpty ? [] : rare[0].unknowns }
    _modify { yield &rareParts.unknowns }
  }
  /// Why the user is not judged; nil for all but a few.
  public internal(set) var stopped: String? {
    get { rare.isEmpty ? nil : rare[0].stopped }
    _modify { yield &rareParts.stopped }
  }
  /// The last record that changed the result of closed days, or 0. A plan made before it is outdated.
  public internal(set) var amended: UInt64 {
    get { rare.isEmpty ? 0 : rare[0].amended }
    _modify { yield &rareParts.amended }
  }
  /// The items known from elsewhere: from credits and from the opening balance.
  public internal(set) var creditedItems: Set<String> {
    get { rare.isEmpty ? [] : rare[0].creditedItems }
    _modify { yield &rareParts.creditedItems }
  }
  /// The days whose login rewards are no longer required.
  var voidedLogins: [Day] {
    get { rare.isEmpty ? [] : rare[0].voidedLogins }
    _modify { yield &rareParts.voidedLogins }
  }
  /// What the user was given by hand this month, without a second person.
  public internal(set) var hand: HandMonth {
    get { rare.isEmpty ? HandMonth() : rare[0].hand }
    _modify { yield &rareParts.hand }
  }
  /// The last line up to which plans have counted everything for all of the user's closed days, or 0.
  public internal(set) var plannedThrough: UInt64 {
    get { rare.isEmpty ? 0 : rare[0].plannedThrough }
    _modify { yield &rareParts.plannedThrough }
  }
}
