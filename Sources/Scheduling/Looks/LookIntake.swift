import CivilTime
import Engine
public import Evidence
public import Ledger

/// One user's looks at some routes.
public struct UserLooks: Sendable {
  /// The index of the user's account.
  public let user: Int
  /// The looks, one per route at most.
  public let looks: [RouteLook]

  /// A look at a route.
  public struct RouteLook: Sendable {
    /// The route.
    public let route: Source
    /// What it showed.
    public let look: Look

    /// Creates a look at a route.
    public init(route: Source, look: Look) {
      self.route = route
      self.look = look
    }
  }

  /// Creates a user's looks.
  public init(user: Int, looks: [RouteLook]) {
    self.user = user
    self.looks = looks
  }

  /// When the newest activity began that they show; nil when they show none.
  fileprivate var newestStart: Instant? { looks.lazy.compactMap(\.look.newestStart).max() }
}

/// What became of a piece of work once it was committed.
public struct Receipt: Sendable {
  /// The records that were appended, without seals.
  public var records: [Record] = []
  /// Evidence that came for closed days: a backfill's work.
  public var lateEvidence = 0
  /// What a history has to weigh.
  var undecided: [OpenDays.Undecided] = []
  /// What of the routes' answers is weighed then.
  var decisions: [(route: Source, decided: [UInt32])] = []
  /// Why the user could not be judged, nil when it could.
  public var problem: String?

  /// Nothing was appended.
  public init() {}
}

/// Takes in looks: judges their users at once, grants, and keeps what the looks prove.
public struct LookIntake: Sendable {
  private let writer: LedgerWriter
  private let keeper: any LookKeeping
  private let past: PastIntake

  /// Creates an intake of looks.
  public init(_ writer: LedgerWriter, keeping keeper: any LookKeeping, past: any PastReading) {
    self.writer = writer
    self.keeper = keeper
    self.past = PastIntake(writer, reading: past)
  }

  /// Takes in one user's looks; returns after all that they bring is on disk.
  public func add(_ looks: UserLooks) async throws -> Receipt {
    let keeper = keeper
    var receipt = try await writer.change(.users([looks.user])) { state in
      var receipt = Receipt()
      let open: OpenDays
      do {
        // What is told may lie a little ahead of our clock, on a day that has not begun by it.
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
