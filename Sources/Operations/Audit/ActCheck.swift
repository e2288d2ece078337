import AuditPage
import CivilTime
import Evidence
import Ledger
import RewardRules

/// Checks that every record of a hand names the act behind it, that an act's sums are those of the records that name it, and that every
/// record of a source says what this source may say.
///
/// Its findings are part of check 9, with those of ``LinkCheck``.
struct ActCheck: Sendable {
  /// What the ledger's lines about no user say.
  struct Terms: Sendable {
    /// The acts with records of their own, by line.
    var acts: [UInt64: OperatorRecord] = [:]
    /// Whether the ledger is part of a divided one, whose pardons name other users, too.
    private(set) var isPart = false
    /// The line from which on every record of a hand names its act; nil while none does.
    var namedFrom: UInt64?

    /// The programs that might hand in lines, each list from behind the line that set it.
    private var sources: [(seq: UInt64, sources: [InboxSource])] = []

    /// Creates the terms of the lines after `start`.
    init(after start: LedgerState? = nil) {
      guard let known = start?.sources else { return }
      sources = [(0, known)]
      namedFrom = 0
    }

    /// Returns the source of a name as a line knew it; nil for a stranger.
    func source(_ name: String, at seq: UInt64) -> InboxSource? {
      sources.last { $0.seq < seq }?.sources.named(name)
    }

    /// Takes in a line; they must come in order.
    mutating func add(_ record: Record) {
      switch record.body {
      case .genesis(let genesis):
        isPart = genesis.partOf != nil
        if Self.namesActs(genesis.program) { namedFrom = record.seq }
      case .operator(let act) where act.act.accountsForRecords:
        acts[record.seq] = act
        if namedFrom == nil, act.sums.records > 0 { namedFrom = record.seq }
      case .operator(let act):
        if let sources = act.sources { self.sources.append((record.seq, sources)) }
      default: break
      }
    }

    /// The first version of this program whose records name their acts.
    private static let firstVersion = [1, 2]

    /// Whether a ledger that `program` has begun names all acts, as in `rewards 1.2.0`.
    private static func namesActs(_ program: String) -> Bool {
      guard let version = program.split(separator: " ").last else { return false }
      let numbers = version.split(separator: ".").prefix(2).compactMap { Int($0) }
      return numbers.count == 2 && !numbers.lexicographicallyPrecedes(firstVersion)
    }
  }

  private(set) var list: FindingList
  private(set) var examined = 0
  private let terms: Terms
  private var sums: [UInt64: ActSums] = [:]
  /// The users of pardons, by the line of the act and by zone.
  private var pardoned: [UInt64: [String: [String]]] = [:]
  /// Records of a hand from before acts were named.
  private var unnamed = 0

  init(list: FindingList, _ terms: Terms) {
    self.list = list
    self.terms = terms
  }

  /// Examines a record; `isNew` tells whether the ledger did not know its user, or had no rules.
  mutating func add(_ record: Record, isNew: Bool) {
    guard let acts = Self.acts(for: record, isNew: isNew) else {
      if record.body.by != nil { found("it names an act, but is nobody's", record) }
      if let name = record.body.sender { examine(record, of: name) }
      return
    }
    examined += 1
    guard let by = record.body.by else {
      if let from = terms.namedFrom, record.seq > from {
        found("it names no act, so nobody is known to have done it", record)
      } else {
        unnamed += 1
      }
      return
    }
    guard let act = terms.acts[by], by < record.seq, acts.contains(act.act),
      Self.isBehind(record.body, act)
    else { return found("line \(by), which it names, is not the act behind it", record) }
    sums[by, default: ActSums()].add(record.body)
    if case .excuse(let excuse) = record.body, let users = excuse.users {
      pardoned[by, default: [:]][excuse.zone ?? "", default: []] += users
    }
  }

  /// Examines a record of a source.
  private mutating func examine(_ record: Record, of name: String) {
    guard let from = terms.namedFrom, record.seq > from else { return }
    examined += 1
    guard let source = terms.source(name, at: record.seq) else {
      return found("the ledger knows no source \(name)", record)
    }
    let objection: String? =
      switch record.body {
      case .evidence(let evidence): source.objection(to: evidence.activity.kind)
      case .credit(let credit): source.objection(to: credit.credit)
      default: nil
      }
    if let objection { found(objection, record) }
  }

  /// How long ago a user's first day must have begun to have ended for sure, in seconds.
  private static let endedSeconds: Int64 = 49 * 3_600

  /// Returns the acts that can be behind a record; nil for a record that is no person's.
  private static func acts(for record: Record, isNew: Bool) -> [OperatorRecord.Act]? {
    switch record.body {
    case .user(let user):
      if user.takesEffect != nil { return nil }
      if user.forgotten { return [.forget] }
      if user.removed { return [.remove] }
      let isPast = isNew && record.at.seconds(since: user.from) > endedSeconds
      return user.opening != nil || isPast || user.by != nil ? [.bringIn] : nil
    case .rules(let rules): return isNew && rules.by == nil ? nil : [.rules]
    case .evidence(let evidence):
      return evidence.source == .inbox && evidence.sender == nil ? [.deliver] : nil
    case .credit(let credit): return credit.sender == nil ? [.deliver] : nil
    case .grant(let grant):
      if grant.isPlanned { return [.apply, .release] }
      return HandKey(text: grant.baseKey) == nil ? nil : [.grant]
    case .reversal: return [.apply]
    case .excuse: return [.excuse]
    default: return nil
    }
  }

  /// Whether an act of a fitting kind is about this record.
  private static func isBehind(_ body: RecordBody, _ act: OperatorRecord) -> Bool {
    switch body {
    case .user(let user): return act.act == .bringIn || act.subject == user.user
    // The subject holds the versions of all its documents, which may have blanks themselves.
    case .rules(let rules): return " \(act.subject) ".contains(" \(rules.version) ")
    case .grant(let grant):
      if act.act == .grant { return act.subject == grant.key }
      if act.act == .apply, grant.cause != GrantRecord.cause(ofPlan: act.subject) { return false }
      // A waiver is adjusted by other plans than its own.
      guard !grant.isAdjustment, case .waived(let plan) = HandKey(text: grant.key) else {
        return true
      }
      return grant.cause == GrantRecord.cause(ofPlan: plan)
    case .excuse(let excuse): return Self.isBehind(excuse, act)
    case .reversal(let reversal): return reversal.plan.map { $0 == act.subject } ?? true
    default: return true
    }
  }

  /// Whether an act is the one of an excuse: its days, its users, its zone, who ordered it and why.
  private static func isBehind(_ excuse: ExcuseRecord, _ act: OperatorRecord) -> Bool {
    let what = act.what ?? ""
    guard act.subject == excuse.period, (excuse.actor, excuse.reason) == (act.actor, act.reason)
    else { return false }
    if let line = excuse.withdraws { return what == Excuses.withdrawal(of: line) }
    let parts = what.split(separator: ";").map { $0.split(separator: " ") }
    func part(_ name: Substring) -> ArraySlice<Substring>? {
      parts.first { $0.first == name }?.dropFirst()
    }
    guard excuse.zone.map({ part("zones")?.contains($0[...]) ?? false }) ?? (part("zones") == nil)
    else { return false }
    guard let users = excuse.users else { return part("users") == nil }
    guard let named = part("users") else { return false }
    // Of very many, there is a number and a digest, which are compared once all are there.
    return named.contains("SHA-256") || users.allSatisfy { named.contains($0[...]) }
  }

  private mutating func found(_ text: String, _ record: Record) {
    var finding = AuditReport.Finding(text, seq: record.seq, user: record.body.user)
    if case .grant(let grant) = record.body {
      finding.key = grant.key
      finding.day = grant.day
    }
    if case .reversal(let reversal) = record.body { finding.key = reversal.key }
    list.add(finding)
  }

  mutating func merge(_ other: ActCheck) {
    list.merge(other.list)
    examined += other.examined
    unnamed += other.unnamed
    for (act, theirs) in other.sums { sums[act, default: ActSums()].add(theirs) }
    pardoned.merge(other.pardoned) { ours, _ in ours }
  }

  /// Compares each act's sums with those of its records, once all were examined.
  mutating func conclude() {
    for (seq, act) in terms.acts.sorted(by: { $0.key < $1.key }) {
      let records = sums[seq] ?? ActSums()
      if records != act.sums {
        list.add(
          AuditReport.Finding(
            "the act says \(act.sums), but the records that name it are \(records)", seq: seq))
      }
      let scope = act.what?.split(separator: ";").first ?? ""
      for users in (pardoned[seq] ?? [:]).values
      where !terms.isPart && scope.contains("SHA-256") && scope != Excuses.scope(of: users) {
        list.add(
          AuditReport.Finding("the act pardons others than the records that name it", seq: seq))
      }
    }
  }

  /// A remark on records of earlier versions; nil without any.
  var note: String? {
    unnamed == 0 ? nil : "\(unnamed) records are from before records named the act behind them"
  }
}
