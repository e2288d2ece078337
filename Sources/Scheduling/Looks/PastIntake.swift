import CivilTime
import Engine
import Evidence
import Ledger

/// Weighs activities that touch days whose evidence the state does not keep. The ledger's lines show whether they are
/// news.
struct PastIntake: Sendable {
  private let writer: LedgerWriter
  private let past: any PastReading

  init(_ writer: LedgerWriter, reading past: any PastReading) {
    self.writer = writer
    self.past = past
  }

  /// Weighs what a user's polls left undecided, and records that the routes' answers have been weighed. Returns the
  /// records and how many came late.
  func weigh(
    _ open: OpenDays, of user: Int, _ keeper: any LookKeeping
  ) async throws -> (records: [Record], late: Int) {
    let result = try await weigh([user: open.undecided])
    try await writer.change(.users([user])) { state in
      let id = state.ledger.accounts[user].id
      for (route, decided) in open.decisions {
        state.looks[user][route].decided = decided
        keeper.keep([LookEntry(user: id, source: route, history: state.looks[user][route])])
      }
      return LedgerWriter.Proposal([]) { _, _ in }
    }
    return result
  }

  /// Records those of the activities, by account index, that are news, after the act that handed them in, if there is one.
  /// Returns the records and how many came late.
  func weigh(
    _ undecided: [Int: [EvidenceRecord]], after act: OperatorRecord? = nil
  ) async throws -> (records: [Record], late: Int) {
    let users = undecided.keys.sorted()
    let ids = await writer.read { state in users.map { state.ledger.accounts[$0].id } }
    let pasts = try await past.pasts(of: Set(ids))
    return try await writer.change(.users(users)) { state in
      var drafts: [Draft] = []
      var late = 0
      for (user, id) in zip(users, ids) {
        guard let index = pasts.index(of: id), let items = undecided[user] else { continue }
        // Undecided activities touch closed days, so open days are not needed if a zone cannot be read.
        let windows = (try? state.openWindows(of: user, through: state.clock.now())) ?? []
        let account = pasts.accounts[index]
        let timeline = Timeline(
          account: account, history: pasts.users.history(at: index), openWindows: windows,
          excuses: [], rules: pasts.rules, terms: state.terms)
        var days = OpenDays(timeline, cause: "live")
        for item in items {
          days.add(
            [item.activity], source: item.source, observedAt: item.observedAt, sender: item.sender)
        }
        late += days.lateCount
        if !days.draft.isEmpty { drafts.append(days.draft) }
      }
      let acts = act.map { drafts.isEmpty ? [] : [Draft([.operator($0)])] } ?? []
      return LedgerWriter.Proposal(acts + drafts) { [late] _, records in
        (Array(records.dropFirst(acts.count)), late)
      }
    }
  }
}
