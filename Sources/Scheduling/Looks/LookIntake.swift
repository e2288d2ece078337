import CivilTime
import Engine
package import Evidence
package import Ledger

/// The result of polls after their commit.
package struct Receipt: Sendable {
  /// The records appended, without seals.
  package var records: [Record] = []
  /// The number of evidence records for closed days, which only a backfill can use.
  package var lateEvidence = 0
  /// Why the user could not be judged; nil if judged.
  package var problem: String?
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
    let open: OpenDays?
    var receipt = Receipt()
    do {
      (open, receipt.records) = try await writer.change(.users([user])) { state in
        // An activity may lie slightly ahead of our clock, in a day that has not yet begun by it.
        let now = max(
          state.clock.now(), looks.lazy.compactMap(\.newestStart).max() ?? .earliest)
        // A poll under way when its user was forgotten must leave no trace.
        guard state.ledger.accounts[user].forgottenAt == nil,
          let timeline = try state.timeline(of: user, now: now)
        else {
          return LedgerWriter.Proposal([]) { _, _ in (nil, []) }
        }
        var days = OpenDays(timeline, cause: "live")
        let certain = state.clock.certain()
        for look in looks { days.observe(look, certain: certain) }
        days.evaluate()
        return LedgerWriter.Proposal([days.draft]) { [days] state, records in
          state.looks[user] = days.looks
          let id = state.ledger.accounts[user].id
          keeper.keep(
            looks.map {
              LookEntry(user: id, source: $0.route, history: state.looks[user][$0.route])
            })
          return (days, Array(records))
        }
      }
    } catch let error as ZoneError {
      receipt.problem = "\(error)"
      return receipt
    }
    guard let open else { return receipt }
    receipt.lateEvidence = open.lateCount
    receipt.problem = open.timeline.account.stopped
    if !open.undecided.isEmpty {
      let (records, late) = try await past.weigh(open, of: user, keeper)
      receipt.records += records
      receipt.lateEvidence += late
    }
    return receipt
  }
}
