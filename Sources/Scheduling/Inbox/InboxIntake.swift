package import CivilTime
package import Digests
import Engine
import Evidence
package import Ledger
import RewardRules

/// Records lines of the inbox in the ledger.
package struct InboxIntake: Sendable {
  /// The result of taking in inbox lines.
  package struct Result: Sendable {
    /// The records appended, without seals.
    package var records: [Record] = []
    /// The rejected lines, in order.
    package var rejected: [RejectedLine] = []
    /// The number of activities and credits for closed days, which only a backfill may use.
    package var lateFacts = 0
    /// Why users could not be judged.
    package var problems: [String] = []
    /// The instant up to which the source says that all its activities have been handed in; nil if it says nothing that counts.
    package var completeThrough: Instant?
    /// The ids of the requests that the sender has approved with a line.
    package var approved: Set<String> = []

    package init() {}
  }

  private let writer: LedgerWriter
  private let keeper: any LookKeeping
  private let past: PastIntake
  /// The names of the sources that may have requested what a person approves.
  private let sources: [String]
  private let isOurs: @Sendable (String) -> Bool

  /// The sender of lines, with the credits of others that the sender approves.
  package struct Sender: Sendable {
    /// The source of the lines.
    package var source: InboxSource
    /// The name used in records of acts.
    package var actor: String
    /// The ids of the approved requests for credits.
    package var approved: Set<String>

    /// Creates a sender; without an actor, everyone who can put files into the source's inbox.
    package init(
      _ source: InboxSource = .hand, actor: String? = nil, approved: Set<String> = []
    ) {
      self.source = source
      self.actor = actor ?? source.name ?? "inbox"
      self.approved = approved
    }
  }

  /// Where lines come from, for the record of their delivery by a person.
  package struct Delivery: Sendable {
    /// The name of the file, without its folder.
    package var file: String
    /// The numbers of its lines.
    package var lines: ClosedRange<Int>
    /// The SHA-256 of these lines.
    package var sha256: Digest

    /// Creates a delivery.
    package init(file: String, lines: ClosedRange<Int>, sha256: Digest) {
      self.file = file
      self.lines = lines
      self.sha256 = sha256
    }

    /// Returns the record that `actor` has handed them in.
    fileprivate func act(of actor: String) -> OperatorRecord {
      var act = OperatorRecord(
        act: .deliver, subject: file, what: "lines \(lines.lowerBound) to \(lines.upperBound)",
        reason: "activities and credits from elsewhere", actor: actor)
      act.sha256 = sha256
      return act
    }
  }

  /// Creates an intake of lines from people and from these sources. Lines about users for whom `isOurs` returns false belong to
  /// another ledger and are skipped.
  package init(
    _ writer: LedgerWriter, keeping keeper: any LookKeeping, past: any PastReading,
    sources: [String] = [], of isOurs: @escaping @Sendable (String) -> Bool = { _ in true }
  ) {
    self.sources = sources
    self.isOurs = isOurs
    self.writer = writer
    self.keeper = keeper
    self.past = PastIntake(writer, reading: past)
  }

  /// Records the lines of one file, judges their users at once, and returns once everything is on disk. What a person hands in
  /// comes after the record of its delivery, if one is given.
  ///
  /// Lines recorded before add nothing. A line for an unknown user, or from more than five minutes ahead of the clock,
  /// is rejected without affecting the others; so is one that its source may not hand in. A credit beyond a brake waits
  /// for a second person. `completeThrough` lines of the hand count at once, for all, if `isComplete`, i.e. nothing handed
  /// in earlier was lost; a source knows only of its own activities.
  package func add(
    _ lines: [InboxLine], readAt: Instant, from sender: Sender = Sender(),
    in delivery: Delivery? = nil, isComplete: Bool = true
  ) async throws -> Result {
    let (keeper, isOurs, sources) = (keeper, isOurs, sources)
    let act = sender.source.name == nil ? delivery?.act(of: sender.actor) : nil
    let (taken, undecided) = try await writer.change(.all) { state in
      var sorting = InboxSorting(state.ledger, readAt: readAt, sender, sources)
      for line in lines where line.entry.user.map(isOurs) ?? true { sorting.add(line) }
      var result = Result()
      result.rejected = sorting.rejected
      result.approved = sorting.approved
      var drafts = sorting.acts.isEmpty ? [] : [Draft(sorting.acts.map { .operator($0) })]
      var undecided: [Int: [EvidenceRecord]] = [:]
      for (user, part) in sorting.parts.sorted(by: { $0.key < $1.key }) {
        var days: OpenDays
        do {
          // An activity may lie slightly ahead of the clock, and so in a day that has not begun.
          let latest = max(readAt, part.activities.map(\.from).max() ?? readAt)
          guard let timeline = try state.timeline(of: user, now: latest) else {
            // Nothing is judged before the first day, but the user keeps what they have.
            if !part.credits.isEmpty { drafts.append(Draft(part.credits.map { .credit($0) })) }
            continue
          }
          days = OpenDays(timeline, cause: "live")
          days.add(
            part.activities, source: .inbox, observedAt: readAt, sender: sender.source.name)
          for credit in part.credits { days.add(credit) }
          days.evaluate()
        } catch {
          // Facts need no zone: they are kept, and judged once the zone can be read.
          days = OpenDays(state.timelineWithoutDays(of: user), cause: "live")
          days.recordAll(
            part.activities, source: .inbox, observedAt: readAt, sender: sender.source.name)
          for credit in part.credits { days.add(credit) }
          result.problems.append(
            "user \(state.ledger.accounts[user].id): \(error); the new lines are kept, and will be judged once that is fixed"
          )
        }
        result.lateFacts += days.lateCount
        if !days.undecided.isEmpty { undecided[user] = days.undecided }
        if !days.draft.isEmpty { drafts.append(days.draft) }
      }
      let isHandedIn = drafts.contains { $0.bodies.contains { $0.by == RecordBody.actBefore } }
      let acts = isHandedIn ? act.map { [Draft([.operator($0)])] } ?? [] : []
      let watermark = sorting.watermark.map { min($0, readAt, state.clock.certain()) }
      return LedgerWriter.Proposal(acts + drafts) { [result, undecided] state, records in
        var result = result
        result.records = Array(records.dropFirst(acts.count))
        result.completeThrough = watermark
        if sender.source.name == nil, isComplete, let watermark {
          state.complete(inboxThrough: watermark, keeper)
        }
        return (result, undecided)
      }
    }
    if undecided.isEmpty { return taken }
    var result = taken
    let (records, late) = try await past.weigh(undecided, after: act)
    result.records += records
    result.lateFacts += late
    return result
  }

  /// Records that nothing happened before `instant` but what has been handed in.
  package func markComplete(through instant: Instant) async {
    let keeper = keeper
    await writer.read { $0.complete(inboxThrough: instant, keeper) }
  }
}

extension WorkingState {
  /// Records how far the inbox is complete, and keeps it; never takes back what was known.
  fileprivate mutating func complete(inboxThrough instant: Instant, _ keeper: any LookKeeping) {
    guard instant > inboxThrough else { return }
    inboxThrough = instant
    keeper.keep(inboxThrough: instant)
  }
}

/// Sorts inbox lines by user and rejects the bad ones.
private struct InboxSorting {
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
  private(set) var acts: [OperatorRecord] = []
  /// The ids of the requests that the sender has approved.
  private(set) var approved: Set<String> = []
  private let sender: InboxIntake.Sender
  /// Who may have requested what the sender approves; nil is a person.
  private let requesters: [String?]
  /// What the credits of these lines give; copying what the ledger has of the day would cost as much as the day holds.
  private var dayCredits = DayCredits()
  /// The earliest time that the records may get; a clock that was set back does not take a ledger's time back.
  private let recordedAt: Instant
  /// Whether anything waits for an approval, so that a credit may be among it.
  private let hasWaiting: Bool

  init(
    _ ledger: LedgerState, readAt: Instant, _ sender: InboxIntake.Sender, _ sources: [String]
  ) {
    self.ledger = ledger
    self.readAt = readAt
    self.sender = sender
    requesters = sender.source.name.map { [$0] } ?? [nil] + sources
    recordedAt = max(readAt, ledger.at)
    hasWaiting = ledger.requests.all.values.contains { $0.approver == nil }
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
        } else if let (act, _) = approval(of: record), !isApproved(act),
          act.objection(to: sender.actor, in: ledger.requests) == nil
        {
          // It counts already, so nobody need approve it any more.
          approve(act)
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
      if let objection = act.objection(to: sender.actor, in: ledger.requests) {
        reject(line, objection.description)
        return false
      }
      approve(act)
      credit.sender = source
      return true
    }
    let source = sender.source
    let today = (user: givenToday(to: credit.user), all: givenToday())
    let excess = source.excess(of: credit.credit, today: today)
    if excess == nil, !hasWaiting { return true }
    let act = BigAct.credit(credit, of: source.name)
    let isWaiting = ledger.requests.all[act.id].map { $0.approver == nil } ?? false
    if excess == nil, !isWaiting { return true }
    let what = excess.map { "a credit of \($0)" } ?? "a credit that waits already"
    let known = act.request(standingFor: sender.actor, in: ledger.requests)
    if known == nil, !acts.contains(where: { $0.subject == act.id }) {
      acts.append(SecondActor.request(act, sender.actor))
    }
    if source.name == nil {
      let problem = SecondActor.Problem.waiting(
        id: act.id, excess: what, asked: known?.actor ?? sender.actor)
      reject(line, problem.description)
    } else {
      reject(
        line,
        "\(what) needs a person's approval; the request is recorded as \(act.id): ingest this line with --approve \(act.id)"
      )
    }
    return false
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

  private func isApproved(_ act: BigAct) -> Bool { ledger.requests.all[act.id]?.approver != nil }

  private mutating func approve(_ act: BigAct) {
    approved.insert(act.id)
    acts.append(
      OperatorRecord(
        act: .approve, subject: act.id, what: act.what, reason: act.reason, actor: sender.actor))
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
