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

    package init() {}
  }

  private let writer: LedgerWriter
  private let keeper: any LookKeeping
  private let past: PastIntake
  private let limits: ManualLimits?
  private let isOurs: @Sendable (String) -> Bool

  /// The sender of lines, with the credits of others that the sender approves.
  package struct Sender: Sendable {
    /// The name used in records.
    package var actor: String
    /// The ids of the approved requests for credits.
    package var approved: Set<String>

    /// Creates a sender; by default anyone who can put files into the inbox.
    package init(actor: String = "inbox", approved: Set<String> = []) {
      self.actor = actor
      self.approved = approved
    }
  }

  /// Creates an intake of inbox lines. A credit beyond `limits` waits for a second actor. Lines about users for whom
  /// `isOurs` returns false belong to another ledger and are skipped.
  package init(
    _ writer: LedgerWriter, keeping keeper: any LookKeeping, past: any PastReading,
    limits: ManualLimits? = nil, of isOurs: @escaping @Sendable (String) -> Bool = { _ in true }
  ) {
    self.limits = limits
    self.isOurs = isOurs
    self.writer = writer
    self.keeper = keeper
    self.past = PastIntake(writer, reading: past)
  }

  /// Records the lines of one file, judges their users at once, and returns once everything is on disk.
  ///
  /// Lines recorded before add nothing. A line for an unknown user, or from more than five minutes ahead of the clock,
  /// is rejected without affecting the others. `completeThrough` lines count only if `isComplete`, i.e. nothing handed
  /// in earlier was lost.
  package func add(
    _ lines: [InboxLine], readAt: Instant, from sender: Sender = Sender(), isComplete: Bool = true
  ) async throws -> Result {
    let (keeper, limits, isOurs) = (keeper, limits, isOurs)
    let (taken, undecided) = try await writer.change(.all) { state in
      var sorting = InboxSorting(state.ledger, readAt: readAt, sender, limits)
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
          days.add(part.activities, source: .inbox, observedAt: readAt)
          for credit in part.credits { days.add(credit) }
          days.evaluate()
        } catch {
          // Facts need no zone: they are kept, and judged once the zone can be read.
          days = OpenDays(state.timelineWithoutDays(of: user), cause: "live")
          days.recordAll(part.activities, source: .inbox, observedAt: readAt)
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
        if let watermark, watermark > state.inboxThrough {
          state.inboxThrough = watermark
          keeper.keep(inboxThrough: watermark)
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

  /// Records that the inbox was empty at `instant`, so that nothing else happened before it.
  ///
  /// If a `completeThrough` line is required, the last one counts instead.
  package func markEmpty(at instant: Instant, requiresWatermark: Bool) async {
    if requiresWatermark { return }
    let keeper = keeper
    await writer.read { state in
      guard instant > state.inboxThrough else { return }
      state.inboxThrough = instant
      keeper.keep(inboxThrough: instant)
    }
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
  private let limits: ManualLimits?

  init(
    _ ledger: LedgerState, readAt: Instant, _ sender: InboxIntake.Sender, _ limits: ManualLimits?
  ) {
    self.ledger = ledger
    self.readAt = readAt
    self.sender = sender
    self.limits = limits
  }

  mutating func add(_ line: InboxLine) {
    switch line.entry {
    case .activity(let user, let kind, let at):
      guard let index = index(of: user, at, line) else { return }
      parts[index, default: Part()].activities.append(Activity(kind: kind, from: at, to: at))
    case .credit(var record):
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
    case .completeThrough(let through):
      if isAhead(through, line) { return }
      watermark = max(watermark ?? through, through)
    }
  }

  /// Returns whether a credit may be recorded. One beyond the limit is requested first, and recorded once another
  /// person hands it in with the approval.
  private mutating func isAdmitted(_ credit: CreditRecord, _ line: InboxLine) -> Bool {
    guard let excess = limits?.excess(of: credit.credit) else { return true }
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
    let problem = SecondActor.Problem.waiting(
      id: act.id,
      excess: "a credit of \(excess)",
      asked: known?.actor ?? sender.actor)
    reject(line, problem.description)
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
