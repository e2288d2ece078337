import CivilTime
import Engine
package import Evidence
package import Ledger

/// The result of a piece of work after its commit.
package struct Receipt: Sendable {
  /// The records appended, without seals.
  package var records: [Record] = []
  /// The number of evidence records for closed days, which only a backfill can use.
  package var lateEvidence = 0
  /// The evidence that a history must weigh.
  var undecided: [EvidenceRecord] = []
  /// The fingerprints of the routes' answers, weighed with them.
  var decisions: [(route: Source, decided: [UInt32])] = []
  /// Why the user could not be judged; nil if judged.
  package var problem: String?

  package init() {}
}

/// Applies polls: judges their users at once, grants rewards, and keeps what the polls prove.
package struct LookIntake: Sendable {
  private let writer: LedgerWriter
  private let keeper: any LookKeeping
  private let past: PastIntake

  /// Creates an intake of polls.
  package init(_ writer: LedgerWriter, keeping keeper: any LookKeeping, past: any PastReading) {
    self.writer = writer
    self.keeper = keeper
    self.past = PastIntake(writer, reading: past)
  }

  /// Applies polls of one user, by account index, at most one per route. Returns once everything they cause is on disk.
  package func add(_ looks: [Look], of user: Int) async throws -> Receipt {
    let keeper = keeper
    var receipt = try await writer.change(.users([user])) { state in
      var receipt = Receipt()
      let open: OpenDays
      do {
        // An activity may lie slightly ahead of our clock, in a day that has not yet begun by it.
        let now = max(
          state.clock.now(), looks.lazy.compactMap(\.newestStart).max() ?? .earliest)
        guard let timeline = try state.timeline(of: user, now: now) else {
          return LedgerWriter.Proposal([]) { _, _ in receipt }
        }
        var days = OpenDays(timeline, cause: "live")
        let certain = state.clock.certain()
        for look in looks { days.observe(look, certain: certain) }
        days.evaluate()
        open = days
      } catch {
        receipt.problem = "\(error)"
        return LedgerWriter.Proposal([]) { _, _ in receipt }
      }
      receipt.lateEvidence = open.lateCount
      receipt.undecided = open.undecided
      receipt.decisions = open.decisions
      receipt.problem = open.timeline.account.stopped
      return LedgerWriter.Proposal(open.draft.isEmpty ? [] : [open.draft]) { state, records in
        receipt.records = Array(records)
        state.looks[user] = open.looks
        let id = state.ledger.accounts[user].id
        keeper.keep(
          looks.map {
            LookEntry(user: id, source: $0.route, history: open.looks[$0.route])
          })
        return receipt
      }
    }
    if !receipt.undecided.isEmpty { try await past.weigh(user, &receipt, keeper) }
    return receipt
  }
}
