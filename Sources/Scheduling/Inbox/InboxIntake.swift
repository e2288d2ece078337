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
      self.actor = actor ?? source.name ?? Door.inbox.rawValue
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
      var drafts = sorting.acts.isEmpty ? [] : [Draft(sorting.acts)]
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
