import CivilTime
import Engine
import Evidence
import Ledger
import RewardRules

/// Sorts inbox lines by user and rejects the bad ones.
struct InboxSorting {
  /// One user's part of the inbox.
  struct Part {
    var activities: [Activity] = []
    var credits: [CreditRecord] = []
    /// The exact ids of these credits, each with the fingerprint of its contents.
    var creditIDs: [String: UInt64] = [:]
    /// What the user will have with these credits; nil before the first.
    var holdings: Holdings?
  }

  private let ledger: LedgerState
  private let readAt: Instant
  private(set) var parts: [Int: Part] = [:]
  private(set) var rejected: [RejectedLine] = []
  /// The instant up to which the sender says that everything has been handed over.
  private(set) var watermark: Instant?
  /// Requests for credits too big for one person, and approvals of them.
  private(set) var acts: [RecordBody] = []
  /// The ids of the requests that the sender has approved, as the first or the second person.
  private(set) var approved: Set<String> = []
  private var sender: InboxIntake.Sender
  /// Who may have requested what the sender approves; nil is a person.
  private let requesters: [String?]
  /// What the credits of these lines give; copying what the ledger has of the day would cost as much as the day holds.
  private var dayCredits = DayCredits()
  /// The earliest time that the records may get; a clock that was set back does not take a ledger's time back.
  private let recordedAt: Instant
  /// Whether a credit waits for an approval, or for its line after that.
  private let hasWaiting: Bool
  /// What these lines give by hand: by user, and in all.
  private var handGiven: (users: [String: DayCredits.Sums], all: DayCredits.Sums) = ([:], [:])

  init(
    _ ledger: LedgerState, readAt: Instant, _ sender: InboxIntake.Sender, _ sources: [String]
  ) {
    self.ledger = ledger
    self.readAt = readAt
    self.sender = sender
    self.sender.source = ledger.inForce(sender.source)
    requesters = sender.source.name.map { [$0] } ?? [nil] + sources
    recordedAt = max(readAt, ledger.at)
    hasWaiting = ledger.requests.all.values.contains {
      $0.what.hasPrefix("credit ") && ($0.isWaiting || ledger.isAgreed($0))
    }
  }

  mutating func add(_ line: InboxLine) {
    switch line.entry {
    case .activity(let user, let kind, let at):
      if let objection = sender.source.objection(to: kind) { return reject(line, objection) }
      guard let index = index(of: user, at, line) else { return }
      parts[index, default: Part()].activities.append(Activity(kind: kind, from: at, to: at))
    case .credit(var record):
      if let objection = sender.source.objection(to: record.credit) {
        return reject(line, objection)
      }
      record.sender = sender.source.name
      guard let index = index(of: record.user, record.credit.effective, line) else { return }
      // Without an id from the sender, two identical lines are the same credit.
      let id = record.id ?? record.credit.id
      record.id = id
      let exact = record.exactID ?? id
      let fingerprint = record.credit.fingerprint
      if let known = parts[index]?.creditIDs[exact] ?? ledger.accounts[index].creditIDs[exact] {
        if known != fingerprint {
          reject(line, "\(record.user) has a different credit with the id \(id)")
        } else if let (act, _) = approval(of: record) {
          // It counts already, so nobody need approve it any more.
          if act.objection(to: sender.actor, in: ledger) == nil {
            approve(act)
          } else {
            approved.insert(act.id)
          }
        }
        return
      }
      if let item = record.credit.items.first(where: { !isKnown($0) }) {
        return reject(line, "no rules have the item \(item) in their catalogue")
      }
      var holdings = parts[index]?.holdings ?? ledger.accounts[index].holdings
      holdings.credit(record.credit.amounts)
      if let unit = RewardUnit.allCases.first(where: {
        max(holdings.credited[$0], holdings.spent[$0]) > Amounts.most
      }) {
        return reject(
          line,
          "the \(unit.rawValue) credited to or spent by \(record.user) would pass \(Amounts.most)")
      }
      guard isAdmitted(&record, line) else { return }
      record.by = record.sender == nil ? RecordBody.actBefore : nil
      parts[index, default: Part()].credits.append(record)
      parts[index]?.creditIDs[exact] = fingerprint
      parts[index]?.holdings = holdings
      dayCredits.add(record, at: recordedAt)
    case .completeThrough(let through):
      if let name = sender.source.name, sender.source.kinds.isEmpty {
        return reject(
          line, "the source \(name) hands in no activities, so it cannot say that they are complete"
        )
      }
      if isAhead(through, line) { return }
      watermark = max(watermark ?? through, through)
    }
  }

  /// Returns whether a credit may be recorded. One beyond a brake is requested first, and recorded as that of the source that
  /// requested it once a person hands it in with the approval. Until then it waits, even if the brake would let it pass.
  private mutating func isAdmitted(_ credit: inout CreditRecord, _ line: InboxLine) -> Bool {
    if let (act, source) = approval(of: credit) {
      if let source,
        let objection = ledger.inForce(InboxSource(name: source)).objection(to: credit.credit)
      {
        reject(line, objection)
        return false
      }
      if source != nil, act.isOpen(to: sender.actor, signature: nil, in: ledger) {
        approved.insert(act.id)
        request(act, "a credit beyond the limits of its source", line)
        return false
      }
      if let objection = objection(to: act) {
        reject(line, objection.description)
        return false
      }
      approve(act)
      credit.sender = source
      credit.request = act.id
      return true
    }
    let source = sender.source
    let today = (user: givenToday(to: credit.user), all: givenToday())
    let excess = source.excess(of: credit.credit, today: today) ?? monthExcess(with: credit)
    if excess == nil, !hasWaiting {
      count(credit)
      return true
    }
    let act = BigAct.credit(credit, of: source.name)
    if ledger.isAgreed(act) {
      credit.request = act.id
      return true
    }
    let isWaiting = ledger.requests.all[act.id].map { act.isRequested(by: $0) && $0.isWaiting }
    if excess == nil, isWaiting != true {
      count(credit)
      return true
    }
    request(act, excess.map { "a credit of \($0)" } ?? "a credit that waits already", line)
    return false
  }

  /// Rejects a line that takes two people, and records the request, unless that stands already.
  private mutating func request(_ act: BigAct, _ excess: String, _ line: InboxLine) {
    let known = act.request(standingFor: sender.actor, in: ledger)
    let request = act.record(.request, by: sender.actor)
    if known == nil, !acts.contains(request) { acts.append(request) }
    if sender.source.name != nil {
      return reject(
        line,
        "\(excess) needs two people; the request is recorded as \(act.id): each of them ingests this line with --approve \(act.id)"
      )
    }
    let problem = SecondActor.Problem.waiting(
      id: act.id, excess: excess, asked: known?.actor ?? sender.actor, by: ledger.handLimits.by)
    reject(line, problem.description)
  }

  /// Returns what would pass the limits of a month with a credit of the hand, in words; nil if nothing would.
  private func monthExcess(with credit: CreditRecord) -> String? {
    let given = credit.credit.given
    if sender.source.name != nil || given.isEmpty { return nil }
    return ledger.excess(
      ofMonth: (handGiven.users[credit.user] ?? [:]).adding(given), to: credit.user,
      all: handGiven.all.adding(given), by: sender.actor, at: recordedAt)
  }

  /// Counts what a credit of the hand gives.
  private mutating func count(_ credit: CreditRecord) {
    let given = credit.credit.given
    if sender.source.name != nil || given.isEmpty { return }
    handGiven.users[credit.user] = (handGiven.users[credit.user] ?? [:]).adding(given)
    handGiven.all = handGiven.all.adding(given)
  }

  /// Returns what the sender's credits have given today, with these lines; with a user, only to that user.
  private func givenToday(to user: String? = nil) -> DayCredits.Sums {
    let name = sender.source.name
    return ledger.dayCredits.given(by: name, to: user, at: recordedAt)
      .adding(dayCredits.given(by: name, to: user, at: recordedAt))
  }

  /// Returns the request that the sender approves with this credit, and the source that made it; nil without an approval.
  private func approval(of credit: CreditRecord) -> (act: BigAct, source: String?)? {
    if sender.approved.isEmpty { return nil }
    return requesters.lazy.map { (act: BigAct.credit(credit, of: $0), source: $0) }
      .first { sender.approved.contains($0.act.id) }
  }

  /// Returns why the sender may not approve an act; nil if they may, or if two people agree on it.
  private func objection(to act: BigAct) -> SecondActor.Problem? {
    ledger.isAgreed(act) ? nil : act.objection(to: sender.actor, in: ledger)
  }

  private mutating func approve(_ act: BigAct) {
    approved.insert(act.id)
    if !ledger.isAgreed(act) { acts.append(act.record(.approve, by: sender.actor)) }
  }

  /// Returns whether some document that came into use has the item in its catalogue.
  private func isKnown(_ item: String) -> Bool {
    let documents = ledger.rules.documents
    return (documents.isEmpty ? [.builtIn] : documents).contains { $0.catalogue.holds(item) }
  }

  /// Returns the account a line is about; nil, with the line rejected, if it cannot be accepted.
  private mutating func index(of user: String, _ at: Instant, _ line: InboxLine) -> Int? {
    guard let index = ledger.index(of: user), ledger.accounts[index].isPresent else {
      reject(
        line,
        "user \(user) is not in the roster; import them with rewards users import, then submit the line again"
      )
      return nil
    }
    return isAhead(at, line) ? nil : index
  }

  private mutating func isAhead(_ at: Instant, _ line: InboxLine) -> Bool {
    guard at.isAhead(of: readAt) else { return false }
    reject(line, "\(at) is more than 5 minutes ahead of the clock (\(readAt))")
    return true
  }

  private mutating func reject(_ line: InboxLine, _ reason: String) {
    rejected.append(RejectedLine(number: line.number, reason: reason))
  }
}

extension Credit {
  /// The id of a credit of exp and items whose sender gives none: its contents.
  fileprivate var id: String {
    ([effective.description, String(amounts.exp)] + items).joined(separator: " ")
  }
}
