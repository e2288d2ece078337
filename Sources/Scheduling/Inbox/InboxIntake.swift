package import CivilTime
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

    package init() {}
  }

  private let writer: LedgerWriter
  private let keeper: any LookKeeping
  private let past: PastIntake
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

  /// Creates an intake of inbox lines. Lines about users for whom `isOurs` returns false belong to another ledger and are
  /// skipped.
  package init(
    _ writer: LedgerWriter, keeping keeper: any LookKeeping, past: any PastReading,
    of isOurs: @escaping @Sendable (String) -> Bool = { _ in true }
  ) {
    self.isOurs = isOurs
    self.writer = writer
    self.keeper = keeper
    self.past = PastIntake(writer, reading: past)
  }

  /// Records the lines of one file, judges their users at once, and returns once everything is on disk.
  ///
  /// Lines recorded before add nothing. A line for an unknown user, or from more than five minutes ahead of the clock,
  /// is rejected without affecting the others; so is one that its source may not hand in. A credit beyond a brake waits
  /// for a second person. `completeThrough` lines count only if `isComplete`, i.e. nothing handed in earlier was lost.
  /// Those of the hand count at once, for all; a source knows only of its own activities.
  package func add(
    _ lines: [InboxLine], readAt: Instant, from sender: Sender = Sender(), isComplete: Bool = true
  ) async throws -> Result {
    let (keeper, isOurs) = (keeper, isOurs)
    let (taken, undecided) = try await writer.change(.all) { state in
      var sorting = InboxSorting(state.ledger, readAt: readAt, sender)
      for line in lines where line.entry.user.map(isOurs) ?? true { sorting.add(line) }
      var result = Result()
      result.rejected = sorting.rejected
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
      let watermark =
        isComplete ? sorting.watermark.map { min($0, readAt, state.clock.certain()) } : nil
      return LedgerWriter.Proposal(drafts) { [result, undecided] state, records in
        var result = result
        result.records = Array(records)
        result.completeThrough = watermark
        if sender.source.name == nil, let watermark {
          state.complete(inboxThrough: watermark, keeper)
        }
        return (result, undecided)
      }
    }
    if undecided.isEmpty { return taken }
    var result = taken
    let (records, late) = try await past.weigh(undecided)
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
  private let sender: InboxIntake.Sender
  /// What credits have given today, with these lines.
  private var dayCredits: DayCredits

  init(_ ledger: LedgerState, readAt: Instant, _ sender: InboxIntake.Sender) {
    self.ledger = ledger
    self.readAt = readAt
    self.sender = sender
    dayCredits = ledger.dayCredits
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
      guard isAdmitted(record, line) else { return }
      parts[index, default: Part()].credits.append(record)
      parts[index]?.creditIDs[exact] = fingerprint
      parts[index]?.holdings = holdings
      dayCredits.add(record, at: readAt)
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

  /// Returns whether a credit may be recorded. One beyond a brake is requested first, and recorded once another person
  /// hands it in with the approval.
  private mutating func isAdmitted(_ credit: CreditRecord, _ line: InboxLine) -> Bool {
    let source = sender.source
    let today = (
      user: dayCredits.given(by: source.name, to: credit.user, at: readAt),
      all: dayCredits.given(by: source.name, at: readAt)
    )
    guard let excess = source.excess(of: credit.credit, today: today) else { return true }
    let act = BigAct.credit(credit)
    if sender.approved.contains(act.id) {
      guard let objection = act.objection(to: sender.actor, in: ledger.requests) else {
        acts.append(
          OperatorRecord(
            act: .approve, subject: act.id, what: act.what, reason: act.reason,
            actor: sender.actor))
        return true
      }
      reject(line, objection.description)
      return false
    }
    let known = act.request(standingFor: sender.actor, in: ledger.requests)
    if known == nil, !acts.contains(where: { $0.subject == act.id }) {
      acts.append(SecondActor.request(act, sender.actor))
    }
    if source.name == nil {
      let problem = SecondActor.Problem.waiting(
        id: act.id, excess: "a credit of \(excess)", asked: known?.actor ?? sender.actor)
      reject(line, problem.description)
    } else {
      reject(
        line,
        "a credit of \(excess) needs a person's approval; the request is recorded as \(act.id): ingest this line with --approve \(act.id)"
      )
    }
    return false
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
