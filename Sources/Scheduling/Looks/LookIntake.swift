import CivilTime
import Engine
package import Evidence
package import Ledger

/// One user's looks at several routes.
package struct UserLooks: Sendable {
  /// The index of the user's account.
  package let user: Int
  /// The looks, at most one per route.
  package let looks: [RouteLook]

  /// A look at a route.
  package struct RouteLook: Sendable {
    /// The route.
    package let route: Source
    /// The look with its outcome.
    package let look: Look

    /// Creates a look at a route.
    package init(route: Source, look: Look) {
      self.route = route
      self.look = look
    }
  }

  /// Creates a user's looks.
  package init(user: Int, looks: [RouteLook]) {
    self.user = user
    self.looks = looks
  }

  /// The start of the newest activity they show; nil if they show none.
  fileprivate var newestStart: Instant? { looks.lazy.compactMap(\.look.newestStart).max() }
}

/// The result of a piece of work after its commit.
package struct Receipt: Sendable {
  /// The records appended, without seals.
  package var records: [Record] = []
  /// The number of evidence records for closed days, which only a backfill can use.
  package var lateEvidence = 0
  /// The activities that a history must weigh.
  var undecided: [OpenDays.Undecided] = []
  /// The marks of the routes' answers, weighed with them.
  var decisions: [(route: Source, decided: [UInt32])] = []
  /// Why the user could not be judged; nil if judged.
  package var problem: String?

  package init() {}
}

/// Applies looks: judges their users at once, grants rewards, and keeps what the looks prove.
package struct LookIntake: Sendable {
  private let writer: LedgerWriter
  private let keeper: any LookKeeping
  private let past: PastIntake

  /// Creates an intake of looks.
  package init(_ writer: LedgerWriter, keeping keeper: any LookKeeping, past: any PastReading) {
    self.writer = writer
    self.keeper = keeper
    self.past = PastIntake(writer, reading: past)
  }

  /// Applies one user's looks and returns once everything they cause is on disk.
  package func add(_ looks: UserLooks) async throws -> Receipt {
    let keeper = keeper
    var receipt = try await writer.change(.users([looks.user])) { state in
      var receipt = Receipt()
      let open: OpenDays
      do {
        // An activity may lie slightly ahead of our clock, in a day that has not yet begun by it.
        let now = max(state.clock.now(), looks.newestStart ?? .earliest)
        guard let timeline = try state.timeline(of: looks.user, now: now) else {
          return LedgerWriter.Proposal([]) { _, _ in receipt }
        }
        var days = OpenDays(timeline, cause: "live")
        let certain = state.clock.certain()
        for routeLook in looks.looks {
          days.observe(routeLook.look, at: routeLook.route, certain: certain)
        }
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
        state.looks[looks.user] = open.looks
        let id = state.ledger.accounts[looks.user].id
        keeper.keep(
          looks.looks.map {
            LookEntry(user: id, source: $0.route, history: open.looks[$0.route])
          })
        return receipt
      }
    }
    if !receipt.undecided.isEmpty { try await past.weigh(looks.user, &receipt, keeper) }
    return receipt
  }
}
