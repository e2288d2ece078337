import AuditPage
import CivilTime
import Ledger
import LedgerStore
import RewardRules
import SSHSignatures
import Scheduling

/// Holds acts against the limits of one person that were in force at their lines: which ones two people agreed on, and which took two
/// and had one.
struct AgreedActs: Sendable {
  /// What two people agreed on, by the lines of acts and credits.
  private(set) var lines: [UInt64: String] = [:]
  private(set) var findings: [AuditReport.Finding] = []
  /// The largest limit of points for a user and day in rules that were agreed on, or with which the ledger began.
  private(set) var dailyLimit: Int64
  /// The limits in force at the plans and reversals that name no request, by their lines.
  private(set) var appliedAlone: [UInt64: HandLimits] = [:]
  /// The ids of requests of which a signature does not count.
  private var forged: Set<String> = []
  /// The releases that name no request, with the limits in force.
  private var releases: [(line: Record, act: OperatorRecord, limits: HandLimits)] = []
  /// The time of the lines written anew when a wrong future was undone. They add up to more than a day of their own.
  private var rewrittenAt: Instant?
  /// The last import that two people agreed on, in their words, and the records that name it.
  private var imported: Import?
  private struct Import {
    let line: Record
    let act: OperatorRecord
    let what: String
    /// Whether it was made before the ledger was divided, and so brought users of other parts, too.
    let isOfWhole: Bool
    var users: [UserRecord] = []
  }

  /// The people, each with a month, and the sources, each with a day, whose sums were found to pass the limits.
  private var passed: Set<String> = []

  /// Creates a comparison of the records after `start`, up to which everything was examined.
  init(after start: LedgerState?) {
    dailyLimit = (start?.rules.documents ?? []).reduce(
      RulesDocument.builtIn.limits.pointsPerUserDay
    ) {
      max($0, $1.limits.pointsPerUserDay)
    }
  }

  /// Examines a record; `before` is the state before it.
  mutating func add(_ record: Record, before: LedgerState) {
    if let id = record.body.request {
      if let what = agreed(id, record.body, before) {
        lines[record.seq] = what
        if case .operator(let act) = record.body, act.act == .bringIn {
          concludeImport()
          imported = Import(
            line: record, act: act, what: what, isOfWhole: before.undivided != nil)
        }
      } else {
        found("it names the request \(id), which two people have not agreed on", record)
      }
    } else if case .operator(let act) = record.body {
      examineAlone(act, record, before)
    } else if case .credit(let credit) = record.body, let name = credit.sender {
      examine(credit, of: name, record, before)
    } else if case .user(let user) = record.body, user.by != nil, user.by == imported?.line.seq {
      imported?.users.append(user)
    }
  }

  /// Examines what the person behind a record has given this month; `after` is the state after it.
  mutating func addSums(of record: Record, after: LedgerState) {
    switch record.body {
    case .rules(let rules): examine(rules, record, after)
    case .operator(let act) where act.signature != nil: examineSignature(of: act, record, after)
    case .excuse(let excuse):
      let agreed = excuse.by.flatMap { lines[$0] } ?? ""
      if excuse.by != nil, !agreed.hasPrefix(BigAct.pardonWords("\(excuse.from)..\(excuse.to)")),
        let excess = after.handLimits.excess(of: excuse)
      {
        found("\(excuse.actor) alone declared \(excess)", record)
      }
    default: break
    }
    let hands = after.hands
    let person = hands.person
    let sums = hands.given(by: person, at: record.at)
    guard
      let excess = after.handLimits.excess(
        ofMonth: sums,
        adding: hands.counted(
          record.body, alone: hands.givenAlone(by: record.body, after.rules)), to: nil)
    else { return }
    if passed.insert("\(person) \(HandMonth.month(of: record.at))").inserted {
      found("\(person) gave \(excess), alone", record)
    }
  }

  /// Compares what releases behind the line `from` let through, according to the refusals in `reader`, with the limits of one person.
  /// Blocks.
  mutating func concludeReleases(after from: UInt64, in reader: LedgerReader) throws {
    for (line, act, limits) in releases where line.seq > from {
      let held = try Release.heldBack(act.subject, of: GrantKey(act.subject).user, reader)
      guard let excess = limits.excess(of: held) else { continue }
      found("\(act.actor) alone let through what takes two people: \(excess)", line)
    }
  }

  /// Compares the records of the last import, which are all there, with what two people agreed on.
  mutating func concludeImport() {
    guard let imported else { return }
    self.imported = nil
    let (users, words) = (imported.users, imported.act.what ?? "")
    if imported.isOfWhole, users.count < Self.users(in: words) { return }
    if BigAct.opening(of: users, words).what != imported.what {
      found("its records are not those that two people agreed on", imported.line)
    }
  }

  /// Compares the last import, and what the genesis says about a division, with the lines that follow; `state` is the state at the end.
  mutating func conclude(_ state: LedgerState) {
    concludeImport()
    guard let whole = state.undivided else { return }
    findings.append(
      AuditReport.Finding(
        "the ledger is said to be part of \(whole), but no act has divided that", seq: 1))
  }

  /// Returns how many users the words of an import count.
  private static func users(in what: String) -> Int {
    what.ranges(of: "users ").reduce(0) {
      $0 + (Int(what[$1.upperBound...].prefix(while: \.isNumber)) ?? 0)
    }
  }

  /// Examines an act that names no request.
  private mutating func examineAlone(
    _ act: OperatorRecord, _ record: Record, _ before: LedgerState
  ) {
    switch act.act {
    case .limits:
      if let limits = act.limits, !before.accounts.isEmpty,
        limits.allowMore(than: before.handLimits)
      {
        found("\(act.actor) alone let one person give more: \(limits)", record)
      }
    case .signers:
      if !before.accounts.isEmpty {
        found("\(act.actor) alone set whose signatures count", record)
      }
    case .sources:
      if let sources = act.sources, !before.accounts.isEmpty,
        sources.allowMore(than: before.sources ?? [])
      {
        found("\(act.actor) alone let sources hand in more: \(sources.text)", record)
      }
    case .release: releases.append((record, act, before.handLimits))
    case .apply: appliedAlone[record.seq] = before.handLimits
    case .undoFuture: rewrittenAt = record.at
    case .bringIn:
      if let excess = before.handLimits.excess(of: act.sums.given.amounts) {
        found("\(act.actor) alone brought in opening balances of \(excess)", record)
      }
    default: break
    }
  }

  /// Examines a credit of a source on which no two people agreed. Of one that the ledger does not know, ``ActCheck`` says so.
  private mutating func examine(
    _ credit: CreditRecord, of name: String, _ record: Record, _ before: LedgerState
  ) {
    let given = rewrittenAt == record.at ? DayCredits() : before.dayCredits
    let today = (
      user: given.given(by: name, to: credit.user, at: record.at),
      all: given.given(by: name, at: record.at)
    )
    guard let source = before.sources?.named(name),
      let excess = source.excess(of: credit.credit, today: today),
      passed.insert("\(name) \(DayCredits.day(of: record.at)) \(excess.drop { $0 != "(" })")
        .inserted
    else { return }
    found("the source \(name) gave, without two people, what takes them: \(excess)", record)
  }

  /// Examines the signature of a request or an approval; `after` is the state after it.
  private mutating func examineSignature(
    of act: OperatorRecord, _ record: Record, _ after: LedgerState
  ) {
    guard let mark = after.requests.all[act.subject] else { return }
    do throws(SignatureRefusal) {
      let signer = try after.signer(
        of: mark, act.subject, act.signature ?? "", at: record.at)
      if signer == act.actor { return }
      found("\(signer) has signed what \(act.actor) is said to agree to", record)
    } catch {
      found("the signature of \(act.actor) does not count: \(error.cause)", record)
    }
    forged.insert(act.subject)
  }

  /// Examines a rules document; `after` is the state after it.
  private mutating func examine(_ rules: RulesRecord, _ record: Record, _ after: LedgerState) {
    guard let document = after.rules.documents.last else { return }
    let isAgreed = rules.by.map { lines[$0]?.hasSuffix(" \(rules.sha256)") ?? false } ?? true
    if isAgreed {
      dailyLimit = max(dailyLimit, document.limits.pointsPerUserDay)
    } else if let excess = RulesUse.excess(of: document, in: after) {
      found("one person alone put rules into use: \(excess)", record)
    }
  }

  /// Returns what two people agreed on, if that is what a record does, and nothing else has used it up.
  private func agreed(_ id: String, _ body: RecordBody, _ state: LedgerState) -> String? {
    guard let mark = state.requests.all[id], state.isAgreed(mark), !forged.contains(id),
      BigAct.isRequested(body, by: mark)
    else { return nil }
    return mark.what
  }

  private mutating func found(_ text: String, _ record: Record) {
    findings.append(AuditReport.Finding(text, seq: record.seq, user: record.body.user))
  }
}
